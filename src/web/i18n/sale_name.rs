//! Readable names for sales with UUIDs, which are hard to distinguish at a glance. A name is derived from the id, in
//! each language. Two sales may share a name, so the id stands beside it.

use crate::i18n::by_lang;

/// The first and the second parts of names; the same index is the same word in each language.
struct Parts {
    first: [&'static str; 32],
    second: [&'static str; 32],
    /// The separator of the parts.
    between: &'static str,
}

static EN: Parts = Parts {
    first: [
        "Amber", "Azure", "Birch", "Brass", "Cedar", "Cobalt", "Copper", "Coral", "Crimson", "Dawn", "Ebony",
        "Emerald", "Fern", "Frost", "Golden", "Granite", "Hazel", "Indigo", "Ivory", "Jade", "Juniper", "Lilac",
        "Linen", "Maple", "Marble", "Olive", "Opal", "Pearl", "Ruby", "Saffron", "Silver", "Willow",
    ],
    second: [
        "Bay", "Bridge", "Brook", "Canyon", "Cape", "Cliff", "Cove", "Creek", "Delta", "Dune", "Falls", "Field",
        "Fjord", "Forest", "Garden", "Glade", "Grove", "Harbor", "Hill", "Island", "Lagoon", "Lake", "Meadow", "Mesa",
        "Orchard", "Peak", "Pier", "Plateau", "Ridge", "River", "Shore", "Valley",
    ],
    between: " ",
};

static ZH: Parts = Parts {
    first: [
        "琥珀", "天蓝", "白桦", "黄铜", "雪松", "钴蓝", "紫铜", "珊瑚", "绯红", "黎明", "乌木", "翡翠", "青蕨", "霜白",
        "金色", "花岗", "榛树", "靛蓝", "象牙", "玉色", "刺柏", "丁香", "亚麻", "红枫", "云石", "橄榄", "欧泊", "珍珠",
        "红玉", "藏红", "银色", "垂柳",
    ],
    second: [
        "海湾", "大桥", "小溪", "峡谷", "海角", "山崖", "港湾", "溪流", "沙洲", "沙丘", "瀑布", "田野", "峡湾", "森林",
        "花园", "空地", "树林", "海港", "山丘", "岛屿", "潟湖", "湖泊", "草地", "台地", "果园", "山峰", "码头", "高原",
        "山脊", "河流", "海岸", "山谷",
    ],
    between: "",
};

/// Returns the name of the sale with this id, in the language of the page; `None` for a chosen id, which is a name
/// itself.
pub fn sale_name(id: &str) -> Option<String> {
    name(id, by_lang(&EN, &ZH))
}

fn name(id: &str, Parts { first, second, between }: &Parts) -> Option<String> {
    // The end of a UUID is random in every version.
    let random = model::id::is_generated(id).then(|| usize::from_str_radix(&id[id.len() - 4..], 16).ok()).flatten()?;
    Some(format!("{}{between}{}", first[random % 32], second[random / 32 % 32]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_a_name_in_each_language_and_a_chosen_id_none() {
        let id = "0197f2c4-9e0d-7a31-8b6e-3f2a51c0d421";
        assert_eq!(name(id, &EN).as_deref(), Some("Azure Bridge"));
        assert_eq!(name(id, &ZH).as_deref(), Some("天蓝大桥"));
        for chosen in
            ["spring", "0197f2c4-9e0d-7a31-8b6e-3f2a51c0d42", "0197f2c4-9e0d-7a31-8b6e-3f2a51c0d42x", "", "----"]
        {
            assert_eq!(name(chosen, &EN), None, "{chosen}");
        }
    }

    #[test]
    fn no_two_parts_are_the_same() {
        for parts in [&EN.first, &EN.second, &ZH.first, &ZH.second] {
            assert_eq!(parts.iter().collect::<std::collections::BTreeSet<_>>().len(), 32);
        }
    }
}
