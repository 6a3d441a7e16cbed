//! The texts of stock.

use crate::{
    components::format::count,
    i18n::{FieldWords, KindWords, id_error},
    life::words::Words as LifeWords,
};
use model::stock::{
    Adjusted, ConfirmAnswer, Confirmed, Declined, DeductAnswer, DeductedItem, DeductionState, Expired, GivenBack, INFO,
    ItemsConfirmed, ItemsReturned, ItemsWon, Outcome, Paused, ReturnAnswer,
};

crate::i18n::words! {
    /// The catalogue. Figures are passed as formatted text.
    pub struct Words {
        kind: KindWords {
            info = &INFO, &INFO;
            name = "Stock", "库存";
            effect_of_closing =
                "Nothing more can be deducted. What was deducted can still be given back. The sale can be reopened.",
                "不能再扣减；已扣减的仍可退回。活动可重新开放。";
            reopens = true, true;
            explained_attempt = "The attempt is for one unit.", "请求扣减一件。";
            item_name = units, units;
            outcome_name =
                |name| match name {
                    "won" => Some("Deducted"),
                    "returned" => Some("Given back"),
                    "confirmed" => Some("Confirmed"),
                    "expired" => Some("Reservation expired"),
                    "restocked" => Some("Restocked"),
                    "corrected" => Some("Corrected"),
                    _ => None,
                },
                |name| match name {
                    "won" => Some("扣减"),
                    "returned" => Some("退回"),
                    "confirmed" => Some("确认"),
                    "expired" => Some("预留已过期"),
                    "restocked" => Some("补货"),
                    "corrected" => Some("盘点修正"),
                    _ => None,
                };
            invariant_name =
                |name| match name {
                    "quantity" => Some("All units accounted for"),
                    "cached" => Some("The cache has the right quantity"),
                    "ledger_quantity" => Some("The ledger has the right quantity"),
                    "events" => Some("One event per deduction"),
                    "deducted" => Some("Deducted units add up"),
                    "returned" => Some("Units given back add up"),
                    "restocked" => Some("Restocked units add up"),
                    "corrected" => Some("Corrections add up"),
                    "confirmed" => Some("Confirmed units add up"),
                    "expired" => Some("Expired units add up"),
                    "held" => Some("Reserved units add up"),
                    "deadlines" => Some("Every reservation has a deadline"),
                    "users" => Some("Every user's units add up"),
                    "limits" => Some("Nobody has more than the limit"),
                    "requests" => Some("Every request is stored"),
                    "negative" => Some("Never more deducted than was left"),
                    "doubled" => Some("No request deducted twice"),
                    "returned_twice" => Some("No order given back twice"),
                    "ledger" => Some("Every deduction is in the ledger"),
                    _ => None,
                },
                |name| match name {
                    "quantity" => Some("库存数量相符"),
                    "cached" => Some("缓存中的库存相符"),
                    "ledger_quantity" => Some("账本中的库存相符"),
                    "events" => Some("每次扣减都有一个事件"),
                    "deducted" => Some("已扣减的数量相符"),
                    "returned" => Some("已退回的数量相符"),
                    "restocked" => Some("已补货的数量相符"),
                    "corrected" => Some("盘点修正的数量相符"),
                    "confirmed" => Some("已确认的数量相符"),
                    "expired" => Some("已过期的数量相符"),
                    "held" => Some("预留的数量相符"),
                    "deadlines" => Some("每个预留都有确认期限"),
                    "users" => Some("每个用户持有的数量相符"),
                    "limits" => Some("没有用户超过限购"),
                    "requests" => Some("每个请求都已保存"),
                    "negative" => Some("从未扣减超出库存"),
                    "doubled" => Some("没有请求重复扣减"),
                    "returned_twice" => Some("没有订单重复退回"),
                    "ledger" => Some("每次扣减都已入账"),
                    _ => None,
                };
        };
        /// Beside the picture of the demonstration.
        demonstration =
            "Thousands subtract from one number: it never falls below zero, and the ledger ends at the same number.",
            "几千人同时扣减同一个数：它绝不小于零，账本最后也是同一个数。";

        // The list of sales, and the form that opens one.
        deducted_and_returned: fn(String, String) -> String =
            |deducted, returned| format!("Units: {deducted} deducted, {returned} given back"),
            |deducted, returned| format!("已扣减 {deducted} 件，已退回 {returned} 件");
        is_low = "Low stock", "库存不足";
        open_title = "Open a stock sale", "创建库存活动";
        quantity: FieldWords {
            label = "Quantity", "库存数量";
            hint = "", "";
            error = Errors::EN.quantity, Errors::ZH.quantity;
        };
        ttl_s: FieldWords {
            label = "Cache for", "缓存有效期";
            hint = "Seconds that the quantity stays in Redis after a deduction", "每次扣减后库存在 Redis 中保留的秒数";
            error = "Enter 1 to 86,400 seconds.", "请填写 1 至 86,400 秒。";
        };
        low_mark: FieldWords {
            label = "Warn when fewer than", "低于此数时提醒";
            hint = "Leave empty for none", "留空表示不设";
            error = Errors::EN.quantity, Errors::ZH.quantity;
        };
        limit_per_user: FieldWords {
            label = "Limit per person", "每人限购";
            hint = "Leave empty for no limit", "留空表示不限";
            error = Errors::EN.quantity, Errors::ZH.quantity;
        };
        hold_s: FieldWords {
            label = "Time to confirm (s)", "确认时限（秒）";
            hint = "Leave empty if deductions need no confirmation", "留空表示扣减无需确认";
            error = "Enter 1 to 604,800 seconds.", "请填写 1 至 604,800 秒。";
        };
        group: FieldWords {
            label = "Group", "组";
            hint = "Optional; one attempt can be at several sales of a group", "可留空；同组的多个活动可一次购买";
            error = id_error!(en), id_error!(zh);
        };

        // The stage.
        stage = "Quantity", "库存";
        in_redis = "In Redis", "Redis 中";
        in_ledger = "In the ledger", "账本中";
        on_the_way: fn(String) -> String =
            |change| format!("{change} on the way"),
            |change| format!("{change} 尚未入账");
        up_to_date = "Up to date", "已同步";
        not_cached = "Not cached", "未缓存";
        not_cached_hint =
            "The next attempt loads it, after a comparison with the ledger.",
            "下一次请求会先与账本比对，再重新加载。";
        /// Beside what is left: how many units are reserved and not confirmed yet.
        held: fn(String) -> String =
            |units| format!("{units} reserved"),
            |units| format!("预留 {units} 件");
        time_to_live = "Expires in", "剩余有效期";
        renewed: fn(String) -> String =
            |time| format!("Each deduction resets it to {time}."),
            |time| format!("每次扣减后重置为 {time}。");
        unknown = "Unknown", "未知";
        over_time = "Quantity over time", "库存随时间的变化";
        /// Names the choice of how much of it is shown.
        span = "Time span", "时间范围";
        last_minute = "Last minute", "最近 1 分钟";
        last_ten_minutes = "Last 10 minutes", "最近 10 分钟";
        /// Below a table that is cut.
        newest_rows: fn(usize) -> String =
            |rows| format!("Only the newest {rows} are shown."),
            |rows| format!("仅显示最新的 {rows} 条。");
        // What has changed the quantity, in units; attempts are counted by themselves.
        units_deducted = "Units deducted", "已扣减的数量";
        units_returned = "Units given back", "已退回的数量";
        units_held = "Units reserved now", "当前预留的数量";
        units_confirmed = "Units confirmed", "已确认的数量";
        units_expired = "Units expired", "已过期的数量";
        units_restocked = "Units restocked", "已补货的数量";
        units_corrected = "Units corrected", "盘点修正的数量";
        /// How much more was confirmed than there was.
        oversold: fn(String) -> String =
            |units| format!("Oversold by {units}. Restocks, corrections and returns make up for that first."),
            |units| format!("超卖 {units} 件：补货、盘点修正和退回的数量会先抵消超卖的部分。");
        /// The low mark, and how many times the quantity came down to it.
        low: fn(String, u64) -> String =
            |mark, times| match times {
                0 | 1 => format!("Low stock: {mark} or less."),
                times => format!("Low stock: {mark} or less (crossed {times} times).", times = count(times)),
            },
            |mark, times| match times {
                0 | 1 => format!("库存不足：不超过 {mark}。"),
                times => format!("库存不足：不超过 {mark}，这是第 {times} 次。", times = count(times)),
            };
        is_paused =
            "The ledger's writer skips this sale, so the ledger falls behind.",
            "账本写入器暂停写入此活动，其间账本会滞后。";
        resumes_in: fn(String) -> String =
            |time| format!("It resumes in {time}."),
            |time| format!("{time} 后恢复。");
        rebuilds = "Loaded into Redis", "加载到 Redis 的记录";
        no_rebuilds = "Never.", "从未加载。";
        process = "Process", "进程";
        ledger_difference = "Ledger differed by", "账本差额";

        // Cache and ledger, to be made to drift.
        drift = "Cache and ledger", "缓存与账本";
        expire = "Expire the cache", "让缓存过期";
        expired: fn(Expired) -> &'static str =
            |expired| match expired {
                Expired::Expired => "The quantity has expired.",
                Expired::NotCached => "The quantity was not cached.",
            },
            |expired| match expired {
                Expired::Expired => "缓存的库存已过期。",
                Expired::NotCached => "库存本来就没有缓存。",
            };
        pause = "Pause the ledger", "暂停写账本";
        resume = "Resume the ledger", "恢复写账本";
        paused: fn(Paused) -> String =
            |paused| match paused {
                Paused::Paused { seconds: 1 } => "Paused for 1 second.".to_owned(),
                Paused::Paused { seconds } => format!("Paused for {seconds} seconds."),
                Paused::Resumed => "The ledger is recording this sale again.".to_owned(),
            },
            |paused| match paused {
                Paused::Paused { seconds } => format!("已暂停 {seconds} 秒。"),
                Paused::Resumed => "已恢复将此活动写入账本。".to_owned(),
            };
        restock_title = "Restock", "补货";
        restock_quantity: FieldWords {
            label = "Quantity to add", "补货数量";
            hint = "", "";
            error = Errors::EN.quantity, Errors::ZH.quantity;
        };
        restock = "Add", "补货";
        correct_title = "Correct", "盘点修正";
        counted: FieldWords {
            label = "Counted", "盘点数量";
            hint = "Deductions while you type are taken into account", "输入期间扣减的数量会一并计入";
            error = "Enter a whole number from 0 to 1,000,000,000,000.", "请填写 0 至 1,000,000,000,000 的整数。";
        };
        correct = "Correct", "修正";
        adjusted: fn(Adjusted) -> String =
            |adjusted| match adjusted {
                Adjusted::Corrected { left, change: 0 } => format!("The count agrees: {} left.", count(left)),
                Adjusted::Restocked { left, change } | Adjusted::Corrected { left, change } => {
                    format!("{}: {} left now.", signed(change), count(left))
                }
                Adjusted::Repeat { left, change } => {
                    format!("{} was already done by the same request: {} left then.", signed(change), count(left))
                }
                Adjusted::NotEnough { left } => {
                    format!("Only {} left, less than this takes away. Nothing changed.", count(left))
                }
                Adjusted::Closed => "This sale is closed. Nothing changed.".to_owned(),
            },
            |adjusted| match adjusted {
                Adjusted::Corrected { left, change: 0 } => format!("盘点无差异，现有 {} 件。", count(left)),
                Adjusted::Restocked { left, change } | Adjusted::Corrected { left, change } => {
                    format!("{}，现有 {} 件。", signed(change), count(left))
                }
                Adjusted::Repeat { left, change } => {
                    format!("{} 已由同一请求处理，当时为 {} 件。", signed(change), count(left))
                }
                Adjusted::NotEnough { left } => format!("只剩 {} 件，不够扣除，没有任何变化。", count(left)),
                Adjusted::Closed => "活动已关闭，没有任何变化。".to_owned(),
            };

        // The visitor's own attempt.
        wanted: FieldWords {
            label = "How many", "数量";
            hint = "", "";
            error = Errors::EN.quantity, Errors::ZH.quantity;
        };
        /// Before the other sales of the group, of which the same attempt can get items.
        also = "Together with", "一并购买";
        /// The name of the field beside such a sale.
        wanted_of: fn(&str) -> String =
            |sale| format!("How many of {sale}"),
            |sale| format!("{sale} 的数量");
        deduct = "Deduct", "扣减";
        deducted_sentence: fn(&DeductAnswer) -> String =
            |answer| match answer {
                DeductAnswer::One(outcome) => (Words::EN.outcome)(outcome.clone()),
                DeductAnswer::Refused { refused_by, outcome } => {
                    format!("{refused_by}: {} Nothing was deducted.", (Words::EN.outcome)(outcome.clone()))
                }
                DeductAnswer::Items { outcome: ItemsWon::Won, items } if has_held(items) => {
                    format!("Reserved: {}. Confirm it in time, or it returns to the stock.", list(items, ", "))
                }
                DeductAnswer::Items { outcome: ItemsWon::Won, items } => format!("Deducted: {}.", list(items, ", ")),
                DeductAnswer::Items { outcome: ItemsWon::Repeat, items } => {
                    format!("The same request was answered before: {}. Nothing changed.", list(items, ", "))
                }
            },
            |answer| match answer {
                DeductAnswer::One(outcome) => (Words::ZH.outcome)(outcome.clone()),
                DeductAnswer::Refused { refused_by, outcome } => {
                    format!("{refused_by}：{}全部未扣减。", (Words::ZH.outcome)(outcome.clone()))
                }
                DeductAnswer::Items { outcome: ItemsWon::Won, items } if has_held(items) => {
                    format!("已预留：{}。请及时确认，否则将退回库存。", list(items, "、"))
                }
                DeductAnswer::Items { outcome: ItemsWon::Won, items } => format!("已扣减：{}。", list(items, "、")),
                DeductAnswer::Items { outcome: ItemsWon::Repeat, items } => {
                    format!("同一请求此前已处理：{}，没有任何变化。", list(items, "、"))
                }
            };
        outcome: fn(Outcome) -> String =
            |outcome| match outcome {
                Outcome::Won { left } => format!("Deducted. {} left.", count(left)),
                Outcome::Held { left, .. } => {
                    format!("Reserved. {} left. Confirm it in time, or it returns to the stock.", count(left))
                }
                Outcome::Repeat { left, state: DeductionState::Deducted | DeductionState::Confirmed, .. } => {
                    format!("Already deducted by the same request, with {} left then. Nothing changed.", count(left))
                }
                Outcome::Repeat { left, state: DeductionState::Held, .. } => {
                    format!("Already reserved by the same request, with {} left then. Nothing changed.", count(left))
                }
                Outcome::Repeat { state: DeductionState::Returned, .. } => {
                    "What the same request deducted was given back. Nothing changed.".to_owned()
                }
                Outcome::Repeat { state: DeductionState::Expired, .. } => {
                    "What the same request reserved has expired. Nothing changed.".to_owned()
                }
                Outcome::LimitReached { left: 0 } => "You have reached the limit per person.".to_owned(),
                Outcome::LimitReached { left } => {
                    format!("The limit per person allows you only {} more.", count(left))
                }
                Outcome::NotEnough { left: 0 } => "Sold out.".to_owned(),
                Outcome::NotEnough { left } => format!("Not enough: only {} left.", count(left)),
                Outcome::Closed { .. } => "This sale is closed. What was deducted can still be given back.".to_owned(),
                Outcome::NotOpen { .. } => LifeWords::EN.sale_not_open.to_owned(),
                Outcome::Paused { reason, .. } => (LifeWords::EN.sale_paused)(&reason),
                Outcome::Ended { .. } => LifeWords::EN.sale_ended.to_owned(),
            },
            |outcome| match outcome {
                Outcome::Won { left } => format!("已扣减，还剩 {} 件。", count(left)),
                Outcome::Held { left, .. } => format!("已预留，还剩 {} 件。请及时确认，否则将退回库存。", count(left)),
                Outcome::Repeat { left, state: DeductionState::Deducted | DeductionState::Confirmed, .. } => {
                    format!("同一请求已经扣减，当时还剩 {} 件，没有任何变化。", count(left))
                }
                Outcome::Repeat { left, state: DeductionState::Held, .. } => {
                    format!("同一请求已经预留，当时还剩 {} 件，没有任何变化。", count(left))
                }
                Outcome::Repeat { state: DeductionState::Returned, .. } => {
                    "同一请求扣减的已退回，没有任何变化。".to_owned()
                }
                Outcome::Repeat { state: DeductionState::Expired, .. } => {
                    "同一请求的预留已过期，没有任何变化。".to_owned()
                }
                Outcome::LimitReached { left: 0 } => "你已达到每人限购数量。".to_owned(),
                Outcome::LimitReached { left } => format!("每人限购，你最多还能买 {} 件。", count(left)),
                Outcome::NotEnough { left: 0 } => "已售罄。".to_owned(),
                Outcome::NotEnough { left } => format!("库存不足，只剩 {} 件。", count(left)),
                Outcome::Closed { .. } => "活动已关闭，已扣减的仍可退回。".to_owned(),
                Outcome::NotOpen { .. } => LifeWords::ZH.sale_not_open.to_owned(),
                Outcome::Paused { reason, .. } => (LifeWords::ZH.sale_paused)(&reason),
                Outcome::Ended { .. } => LifeWords::ZH.sale_ended.to_owned(),
            };
        give_back = "Give it back", "退回";
        give_one_back = "Give one back", "退回一件";
        confirm = "Confirm", "确认";

        // What an operator can do on a user's page. Units are passed as text.
        give_back_question: fn(String) -> String =
            |units| format!("Give {units} back to the stock, for others to buy?"),
            |units| format!("退回 {units}？退回后立即重新销售。");
        give_one_back_question: fn(String) -> String =
            |units| format!("Give one of {units} back to the stock, for others to buy?"),
            |units| format!("从 {units} 中退回一件？退回后立即重新销售。");
        confirm_question: fn(String) -> String =
            |units| format!("Confirm {units}, so that the reservation does not expire?"),
            |units| format!("确认 {units}？确认后不再过期。");
        returned_sentence: fn(ReturnAnswer) -> String =
            |answer| match answer {
                ReturnAnswer::One(GivenBack::Returned { quantity, kept, .. }) if kept > 0 => {
                    format!("Given back: {}. The user keeps {}.", count(quantity), count(kept))
                }
                ReturnAnswer::One(GivenBack::NotEnough { kept, .. }) => {
                    format!("The user has only {} of it. Nothing changed.", count(kept))
                }
                answer => (Words::EN.return_sentence)(answer),
            },
            |answer| match answer {
                ReturnAnswer::One(GivenBack::Returned { quantity, kept, .. }) if kept > 0 => {
                    format!("已退回 {} 件，用户保留 {} 件。", count(quantity), count(kept))
                }
                ReturnAnswer::One(GivenBack::NotEnough { kept, .. }) => {
                    format!("用户只有 {} 件，没有任何变化。", count(kept))
                }
                answer => (Words::ZH.return_sentence)(answer),
            };
        operator_yes = "Yes, do it", "确定";
        operator_no = "Leave it", "保持不变";
        /// Before the time until which the reader can confirm.
        reserved_until = "Reserved until", "预留至";
        confirmed: fn(Confirmed) -> String =
            |confirmed| match confirmed {
                Confirmed::Confirmed { quantity, .. } => format!("Confirmed: {}.", count(quantity)),
                Confirmed::Repeat { .. } => "It was confirmed before. Nothing changed.".to_owned(),
                Confirmed::Late { .. } => "Too late: the reservation has expired.".to_owned(),
                Confirmed::Returned { .. } => "It was given back before. Nothing changed.".to_owned(),
                Confirmed::UnknownRequest => "This sale does not know that request.".to_owned(),
            },
            |confirmed| match confirmed {
                Confirmed::Confirmed { quantity, .. } => format!("已确认 {} 件。", count(quantity)),
                Confirmed::Repeat { .. } => "此前已确认，没有任何变化。".to_owned(),
                Confirmed::Late { .. } => "已超过时限，预留已过期。".to_owned(),
                Confirmed::Returned { .. } => "此前已退回，没有任何变化。".to_owned(),
                Confirmed::UnknownRequest => "此活动没有这个请求。".to_owned(),
            };
        confirm_sentence: fn(ConfirmAnswer) -> String =
            |answer| match answer {
                ConfirmAnswer::One(confirmed) => (Words::EN.confirmed)(confirmed),
                ConfirmAnswer::Refused { refused_by, outcome } => {
                    format!("{refused_by}: {} Nothing was confirmed.", (Words::EN.confirmed)(outcome))
                }
                ConfirmAnswer::Items { outcome: ItemsConfirmed::Confirmed, .. } => "All items are confirmed.".to_owned(),
                ConfirmAnswer::Items { outcome: ItemsConfirmed::Repeat, .. } => {
                    (Words::EN.confirmed)(Confirmed::Repeat { user: String::new(), quantity: 0 })
                }
            },
            |answer| match answer {
                ConfirmAnswer::One(confirmed) => (Words::ZH.confirmed)(confirmed),
                ConfirmAnswer::Refused { refused_by, outcome } => {
                    format!("{refused_by}：{}全部未确认。", (Words::ZH.confirmed)(outcome))
                }
                ConfirmAnswer::Items { outcome: ItemsConfirmed::Confirmed, .. } => "已全部确认。".to_owned(),
                ConfirmAnswer::Items { outcome: ItemsConfirmed::Repeat, .. } => {
                    (Words::ZH.confirmed)(Confirmed::Repeat { user: String::new(), quantity: 0 })
                }
            };
        return_sentence: fn(ReturnAnswer) -> String =
            |answer| match answer {
                ReturnAnswer::One(given) => (Words::EN.given_back)(given),
                ReturnAnswer::Refused { refused_by, outcome } => {
                    format!("{refused_by}: {} Nothing was given back.", (Words::EN.given_back)(outcome))
                }
                ReturnAnswer::Items { outcome: ItemsReturned::Returned, .. } => "All items are given back.".to_owned(),
                ReturnAnswer::Items { outcome: ItemsReturned::Repeat, .. } => {
                    "They were given back before. Nothing changed.".to_owned()
                }
            },
            |answer| match answer {
                ReturnAnswer::One(given) => (Words::ZH.given_back)(given),
                ReturnAnswer::Refused { refused_by, outcome } => {
                    format!("{refused_by}：{}全部未退回。", (Words::ZH.given_back)(outcome))
                }
                ReturnAnswer::Items { outcome: ItemsReturned::Returned, .. } => "已全部退回。".to_owned(),
                ReturnAnswer::Items { outcome: ItemsReturned::Repeat, .. } => "此前已退回，没有任何变化。".to_owned(),
            };
        given_back: fn(GivenBack) -> String =
            |given| match given {
                GivenBack::Returned { quantity, kept: 0, .. } => format!("Given back: {}.", count(quantity)),
                GivenBack::Returned { quantity, kept, .. } => {
                    format!("Given back: {}. You keep {}.", count(quantity), count(kept))
                }
                GivenBack::Repeat { .. } => "It was given back before. Nothing changed.".to_owned(),
                GivenBack::NotEnough { kept, .. } => format!("You have only {} of it. Nothing changed.", count(kept)),
                GivenBack::Expired { .. } => "The reservation had expired. Nothing changed.".to_owned(),
                GivenBack::UnknownRequest => "This sale does not know that request.".to_owned(),
            },
            |given| match given {
                GivenBack::Returned { quantity, kept: 0, .. } => format!("已退回 {} 件。", count(quantity)),
                GivenBack::Returned { quantity, kept, .. } => {
                    format!("已退回 {} 件，保留 {} 件。", count(quantity), count(kept))
                }
                GivenBack::Repeat { .. } => "此前已退回，没有任何变化。".to_owned(),
                GivenBack::NotEnough { kept, .. } => format!("你只有 {} 件，没有任何变化。", count(kept)),
                GivenBack::Expired { .. } => "预留已过期，没有任何变化。".to_owned(),
                GivenBack::UnknownRequest => "此活动没有这个请求。".to_owned(),
            };
        sale_closed =
            "This sale is closed. What was deducted can still be given back.",
            "活动已关闭，已扣减的仍可退回。";

        // The attempts.
        /// Attempts that got what they wanted, and those that gave it back.
        won = "Deducted", "扣减";
        returned = "Given back", "已退回";
        not_enough = "Not enough", "库存不足";
        limit_reached = "Limit reached", "达到限购";
        confirmed_short = "Confirmed", "已确认";
        late = "Confirmed too late", "逾期确认";
        sale_closed_short = "Closed", "已关闭";
        refused = "Refused", "被拒绝";
        declined: fn(Declined) -> &'static str =
            |declined| match declined {
                Declined::Repeat => "Repeat",
                Declined::NotEnough => "Not enough",
                Declined::LimitReached => "Limit reached",
                Declined::Closed => "Closed",
                Declined::NotOpen => "Not started",
                Declined::Paused => "Paused",
                Declined::Ended => "Ended",
                Declined::Reused => "Request ID reused",
            },
            |declined| match declined {
                Declined::Repeat => "重复请求",
                Declined::NotEnough => "库存不足",
                Declined::LimitReached => "达到限购",
                Declined::Closed => "已关闭",
                Declined::NotOpen => "未开始",
                Declined::Paused => "暂停中",
                Declined::Ended => "已结束",
                Declined::Reused => "请求编号被重复使用",
            };
        latest = "Newest deductions", "最新扣减";
        none_deducted = "Nothing deducted yet.", "还没有扣减。";
        amount = "Quantity", "数量";
        left = "Left", "剩余";

        // The terms.
        opened_with = "Opened with", "初始库存";
        kept_for = "Cached for", "缓存有效期";
        no_low_mark = "None", "不设";
        confirm_within = "To be confirmed within", "确认时限";
        no_limit = "None", "不限";
        no_hold = "Not needed", "无需确认";
        in_group = "Group", "组";

        // The crowd.
        several: FieldWords {
            label = "Several", "扣减多件";
            hint = "Percent of users who want two or three", "扣减两件或三件的用户百分比";
            error = Errors::EN.share, Errors::ZH.share;
        };
        fail: FieldWords {
            label = "Failed orders", "失败订单";
            hint = "Percent of orders given back right away", "立即退回的订单百分比";
            error = Errors::EN.share, Errors::ZH.share;
        };
        all_fail = "All orders fail", "订单全部失败";
        all_fail_hint =
            "Everything is given back right away: nothing may be lost or returned twice.",
            "全部立即退回：不能丢失，也不能重复退回。";

        // The audit.
        not_audited =
            "Not audited yet. An audit compares the quantities in Redis and in the ledger, and every request.",
            "尚未审计。审计会比较 Redis 与账本中的库存以及每个请求。";
    }

    /// What several fields say of an invalid input.
    pub struct Errors {
        quantity = "Enter a whole number from 1 to 1,000,000.", "请填写 1 至 1,000,000 的整数。";
        share = "Enter a percentage from 0 to 100.", "请填写 0 至 100 的百分比。";
    }
}

/// Whether any of these items has to be confirmed.
fn has_held(items: &[DeductedItem]) -> bool {
    items.iter().any(|item| item.state == DeductionState::Held)
}

/// Items as text: quantity and sale of each.
fn list(items: &[DeductedItem], between: &str) -> String {
    items.iter().map(|item| format!("{} × {}", count(item.quantity), item.sale)).collect::<Vec<_>>().join(between)
}

/// A change with its sign.
pub fn signed(change: i64) -> String {
    let sign = match change {
        ..0 => "−",
        0 => "",
        1.. => "+",
    };
    format!("{sign}{}", crate::components::format::count(change.unsigned_abs()))
}

/// How many units an entry of the ledger is about, as pages write numbers.
fn units(item: &str) -> String {
    match item.parse::<i64>() {
        Ok(units @ ..0) => signed(units),
        Ok(units) => crate::components::format::count(units.unsigned_abs()),
        Err(_) => item.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{signed, units};

    #[test]
    fn units_of_entries_have_separators() {
        assert_eq!(["10000", "-3", "5", "?"].map(units), ["10,000", "−3", "5", "?"]);
    }

    #[test]
    fn changes_have_their_signs() {
        assert_eq!([-1_000, 0, 7].map(signed), ["−1,000", "0", "+7"]);
    }
}
