//! The best seats, found slowly but obviously correctly: by checking every place in the hall.

use model::ticket::hall::{Category, Hall, Seat};

/// The `count` seats of a category that a pick must get, in the order of the hall; `None` where there are not so many. `is_free` says of a seat's number whether it may be taken.
pub fn best(
    hall: &Hall,
    category: &Category,
    count: u32,
    adjacent: bool,
    is_free: impl Fn(u32) -> bool,
) -> Option<Vec<Seat>> {
    let rows = rows_of(hall, category, is_free);
    let count = count as usize;
    if rows.iter().map(|(_, row)| free(row)).sum::<usize>() < count {
        return None;
    }
    let mut found = if adjacent { together(&rows, count) } else { row_by_row(&rows, count) };
    found.sort_by_key(|seat| (seat.row, seat.place));
    Some(found)
}

/// The largest number of free seats side by side in a category.
pub fn largest_group(hall: &Hall, category: &Category, is_free: impl Fn(u32) -> bool) -> u32 {
    let rows = rows_of(hall, category, is_free);
    let of_row = |seats: &Vec<bool>| seats.split(|free| !free).map(<[bool]>::len).max();
    rows.iter().filter_map(|(_, seats)| of_row(seats)).max().unwrap_or(0) as u32
}

type Rows = Vec<(u32, Vec<bool>)>;

fn rows_of(hall: &Hall, category: &Category, is_free: impl Fn(u32) -> bool) -> Rows {
    let row = |row| {
        let Row { first, seats } = row_of(hall, row);
        (row, (first..first + seats).map(&is_free).collect())
    };
    category.rows.clone().map(row).collect()
}

/// As one group; if it does not fit, as few alone as possible, and the others in the largest groups.
fn together(rows: &Rows, count: usize) -> Vec<Seat> {
    if let Some((_, found)) = in_groups(rows.clone(), &[count]) {
        return found;
    }
    let all = (0..=count).find_map(|alone| {
        let sizes = splits(count - alone, count - alone);
        let (rows, mut found) = sizes.iter().find_map(|sizes| in_groups(rows.clone(), sizes))?;
        found.extend(fewest_rows(rows, alone));
        Some(found)
    });
    all.expect("enough seats")
}

/// The ways to split people into groups of two to `largest`, those with large groups first.
fn splits(people: usize, largest: usize) -> Vec<Vec<usize>> {
    if people == 0 {
        return vec![Vec::new()];
    }
    let sizes = (2..=largest.min(people)).rev();
    let with = |size| splits(people - size, size).into_iter().map(move |rest| [vec![size], rest].concat());
    sizes.flat_map(with).collect()
}

/// Seats for groups of these sizes, and the rows with the others; `None` if the groups do not fit.
fn in_groups(mut rows: Rows, sizes: &[usize]) -> Option<(Rows, Vec<Seat>)> {
    let mut found = Vec::new();
    for size in sizes {
        // Rather where no single seat is left.
        let (at, start) = [false, true].into_iter().find_map(|may_leave_one| {
            let places = rows.iter().map(|(_, seats)| neighbours(seats, *size, may_leave_one)).enumerate();
            places.filter_map(|(at, start)| Some((at, start?))).next()
        })?;
        let (row, seats) = &mut rows[at];
        seats[start..start + size].fill(false);
        found.extend((start..start + size).map(|place| seat(*row, place)));
    }
    Some((rows, found))
}

struct Row {
    first: u32,
    seats: u32,
}

fn row_of(hall: &Hall, row: u32) -> Row {
    let row = hall.rows[row as usize];
    Row { first: row.first_seat, seats: u32::from(row.seats) }
}

fn seat(row: u32, place: usize) -> Seat {
    Seat { row, place: place as u16 }
}

fn free(row: &[bool]) -> usize {
    row.iter().filter(|free| **free).count()
}

/// Where `count` adjacent free seats begin: nearest to the middle of the row; on a tie, the first.
fn neighbours(row: &[bool], count: usize, may_leave_one: bool) -> Option<usize> {
    let is_free = |place: Option<usize>| place.and_then(|place| row.get(place)).copied().unwrap_or(false);
    (0..=row.len().checked_sub(count)?)
        .filter(|start| row[*start..start + count].iter().all(|free| *free))
        .filter(|start| {
            let end = start + count;
            let left_alone = is_free(start.checked_sub(1)) && !is_free(start.checked_sub(2));
            let right_alone = is_free(Some(end)) && !is_free(Some(end + 1));
            may_leave_one || !(left_alone || right_alone)
        })
        .min_by_key(|start| ((2 * start + count).abs_diff(row.len()), *start))
}

/// Free seats of a row, nearest to its middle first.
fn from_the_middle(row: u32, seats: &[bool], count: usize) -> Vec<Seat> {
    let mut places: Vec<usize> = (0..seats.len()).filter(|place| seats[*place]).collect();
    places.sort_by_key(|place| ((2 * place + 1).abs_diff(seats.len()), *place));
    places.into_iter().take(count).map(|place| seat(row, place)).collect()
}

fn row_by_row(rows: &Rows, count: usize) -> Vec<Seat> {
    let mut found = Vec::new();
    for (row, seats) in rows {
        found.extend(from_the_middle(*row, seats, count - found.len()));
    }
    found
}

/// As many as possible from one row each time; the last from the best row that has enough.
fn fewest_rows(mut rows: Rows, count: usize) -> Vec<Seat> {
    let mut found = Vec::new();
    if count == 0 {
        return found;
    }
    let mut sizes: Vec<usize> = rows.iter().map(|(_, seats)| free(seats)).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let mut sum = 0;
    let fewest = 1 + sizes
        .iter()
        .position(|size| {
            sum += size;
            sum >= count
        })
        .expect("enough seats");
    let mut used = 0;
    while found.len() < count {
        let missing = count - found.len();
        let most = rows.iter().map(|(_, seats)| free(seats).min(missing)).max().expect("a row");
        let at = rows.iter().position(|(_, seats)| free(seats) >= most).expect("a row");
        let (row, seats) = rows.remove(at);
        found.extend(from_the_middle(row, &seats, most));
        used += 1;
    }
    assert_eq!(used, fewest);
    found
}
