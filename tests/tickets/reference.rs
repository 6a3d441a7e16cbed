//! The best seats, found slowly but obviously correctly: by checking every place in the hall.

use model::ticket::hall::{Category, Hall, Seat};

/// The `count` seats of a category that a pick must get, in the order in which they are taken; `None` where
/// there are not so many. `is_free` says of a seat's number whether it may be taken.
pub fn best(
    hall: &Hall,
    category: &Category,
    count: u32,
    adjacent: bool,
    is_free: impl Fn(u32) -> bool,
) -> Option<Vec<Seat>> {
    let rows: Vec<(u32, Vec<bool>)> = category
        .rows
        .clone()
        .map(|row| {
            let Row { first, seats } = row_of(hall, row);
            (row, (first..first + seats).map(&is_free).collect())
        })
        .collect();
    let count = count as usize;
    if rows.iter().map(|(_, row)| free(row)).sum::<usize>() < count {
        return None;
    }
    if !adjacent {
        return Some(row_by_row(&rows, count));
    }
    // Side by side and nobody left alone; then side by side; then in the fewest rows.
    for may_leave_one in [false, true] {
        for (row, seats) in &rows {
            if let Some(start) = neighbours(seats, count, may_leave_one) {
                return Some((start..start + count).map(|place| seat(*row, place)).collect());
            }
        }
    }
    Some(fewest_rows(rows, count))
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

fn row_by_row(rows: &[(u32, Vec<bool>)], count: usize) -> Vec<Seat> {
    let mut found = Vec::new();
    for (row, seats) in rows {
        found.extend(from_the_middle(*row, seats, count - found.len()));
    }
    found
}

/// As many as possible from one row each time; the last from the best row that has enough.
fn fewest_rows(mut rows: Vec<(u32, Vec<bool>)>, count: usize) -> Vec<Seat> {
    let mut found = Vec::new();
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
