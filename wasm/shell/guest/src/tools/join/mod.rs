//! `join`, which holds of two files only lines that have the same key, and tells where one is not sorted.

mod order;

use super::source::{Printer, Runs, Source};
use super::text;
use bashkit::{Command, CommandContext, CommandStatus, Result, async_trait};
use order::{Checks, Line, Order};
use std::cmp::Ordering;

struct Side {
    index: usize,
    lines: Runs,
    number: u64,
    /// The key of the line before.
    before: Option<Vec<u8>>,
    unsorted: bool,
    current: Option<Line>,
}

pub struct Join;

#[async_trait]
impl Command for Join {
    async fn execute(&self, ctx: CommandContext<'_>) -> Result<CommandStatus> {
        let mut order = match Order::of(ctx.args) {
            Ok(order) => order,
            Err(problem) => {
                complain(&ctx, &format!("{problem}\nTry 'join --help' for more information.")).await?;
                return Ok(CommandStatus::with_code(1));
            }
        };
        let mut sides = Vec::new();
        for (index, name) in order.names.iter().enumerate() {
            match Source::open(&ctx, name).await {
                Ok(source) => sides.push(Side {
                    index,
                    lines: Runs::new(source),
                    number: 0,
                    before: None,
                    unsorted: false,
                    current: None,
                }),
                Err(why) => {
                    complain(&ctx, &format!("{name}: {why}")).await?;
                    return Ok(CommandStatus::with_code(1));
                }
            }
        }
        let [left, right] = &mut sides[..] else { unreachable!("there are two names") };
        let mut work = Work { ctx: &ctx, unpaired: false, out: Printer::default() };
        let whole = work.join(&mut order, left, right).await?;
        work.out.flush(&ctx).await?;
        if whole && (left.unsorted || right.unsorted) {
            complain(&ctx, "input is not in sorted order").await?;
        }
        Ok(CommandStatus::with_code(i32::from(left.unsorted || right.unsorted)))
    }
}

async fn complain(ctx: &CommandContext<'_>, what: &str) -> Result<()> {
    ctx.stderr.write_all(&text::encode(format!("join: {what}\n"))).await
}

struct Work<'a, 'b> {
    ctx: &'a CommandContext<'b>,
    /// Whether a line had no other.
    unpaired: bool,
    out: Printer,
}

impl Work<'_, '_> {
    /// Takes a side's next line. @returns whether to go on.
    async fn advance(&mut self, order: &Order, side: &mut Side) -> Result<bool> {
        let mut bytes = Vec::new();
        if !side.lines.line(self.ctx, order.end, &mut bytes).await? {
            side.current = None;
            return Ok(true);
        }
        side.number += 1;
        let line = order.split(bytes);
        let key = line.field(order.keys[side.index]);
        let checks = order.checks == Checks::Always || order.checks == Checks::Unpaired && self.unpaired;
        let falls = side.before.as_deref().is_some_and(|before| order.compare(before, key) == Ordering::Greater);
        if checks && falls && !side.unsorted {
            side.unsorted = true;
            let (name, number) = (&order.names[side.index], side.number);
            self.out.flush(self.ctx).await?;
            complain(self.ctx, &format!("{name}:{number}: is not sorted: {}", text::decode(&line.bytes))).await?;
        }
        side.before = Some(key.to_vec());
        side.current = Some(line);
        Ok(!side.unsorted || order.checks != Checks::Always)
    }

    /// @returns whether it came to the end.
    async fn join(&mut self, order: &mut Order, left: &mut Side, right: &mut Side) -> Result<bool> {
        for side in [&mut *left, &mut *right] {
            self.advance(order, side).await?;
        }
        if let Some(counts) = &mut order.counts {
            *counts = [&*left, &*right].map(|side| side.current.as_ref().map_or(0, |line| line.fields.len()));
        }
        let order = &*order;
        if order.header && (left.current.is_some() || right.current.is_some()) {
            order.print(self.out.bytes(), [left.current.as_ref(), right.current.as_ref()]);
            for side in [&mut *left, &mut *right] {
                side.before = None;
                self.advance(order, side).await?;
            }
        }
        while let (Some(one), Some(other)) = (&left.current, &right.current) {
            let key = one.field(order.keys[0]).to_vec();
            let goes_on = match order.compare(&key, other.field(order.keys[1])) {
                Ordering::Less => self.alone(order, left).await?,
                Ordering::Greater => self.alone(order, right).await?,
                Ordering::Equal => self.product(order, &key, left, right).await?,
            };
            if !goes_on {
                return Ok(false);
            }
            self.out.settle(self.ctx).await?;
        }
        // What is left over of one of them is looked at, too; that it has no other says nothing of its order.
        for side in [left, right] {
            while side.current.is_some() && (order.unpaired[side.index] || order.checks != Checks::Never && !side.unsorted) {
                let unpaired = self.unpaired;
                if !self.alone(order, side).await? {
                    return Ok(false);
                }
                self.unpaired = unpaired;
                self.out.settle(self.ctx).await?;
            }
        }
        Ok(true)
    }

    /// A line that has no other.
    async fn alone(&mut self, order: &Order, side: &mut Side) -> Result<bool> {
        if order.unpaired[side.index] {
            let mut lines = [None; 2];
            lines[side.index] = side.current.as_ref();
            order.print(self.out.bytes(), lines);
        }
        let goes_on = self.advance(order, side).await?;
        self.unpaired = true;
        Ok(goes_on)
    }

    /// All lines of one side with all of the other that have the same key.
    async fn product(&mut self, order: &Order, key: &[u8], left: &mut Side, right: &mut Side) -> Result<bool> {
        let mut groups = [Vec::new(), Vec::new()];
        for (side, group) in [left, right].into_iter().zip(&mut groups) {
            while let Some(line) = side.current.take_if(|line| order.compare(key, line.field(order.keys[side.index])).is_eq()) {
                group.push(line);
                if !self.advance(order, side).await? {
                    return Ok(false);
                }
            }
        }
        if order.paired {
            for one in &groups[0] {
                for other in &groups[1] {
                    order.print(self.out.bytes(), [Some(one), Some(other)]);
                    self.out.settle(self.ctx).await?;
                }
            }
        }
        Ok(true)
    }
}
