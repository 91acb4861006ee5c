/**
 * The goals, and the measurement that decides whether each is met. A person writes `remark`: for a missed goal, why, and
 * what it would take.
 */
import { find } from "./harness/measurement.mjs";

export const goals = [
  {
    measure: "deliveries per second with 100 lanes, compared with pg-boss in the same run",
    before: "1.07 ×",
    goal: "≥ 5 ×",
    figure: ({ ledger }) => times(lives(ledger, "Waybill", "100 lanes"), lives(ledger, "pg-boss", "100 lanes")),
    unit: "×",
    isMet: (value) => value >= 5,
    remark:
      "SQLite needs about a quarter of the CPU time of a delivery. Most of the rest is JavaScript: copying records of fifty fields at every event, creating and serialising events, and garbage collection. It would take records that are changed in place, several events of an agent in one row, and a separate thread for writing.",
  },
  {
    measure: "deliveries per second with 100 lanes, as a share of what SQLite alone does with the same statements",
    before: "not measured",
    goal: "≥ 25 %",
    figure: ({ ledger }) =>
      percent(lives(ledger, "Waybill", "100 lanes"), lives(ledger, "limit: same statements", "100 lanes")),
    unit: "%",
    isMet: (value) => value >= 25,
    remark:
      "As above. The limit itself rose by two thirds, because the statements became cheaper faster than the code around them.",
  },
  {
    measure: "deliveries per second with 1 lane",
    before: "200",
    goal: "≥ 1,000",
    figure: ({ ledger }) => lives(ledger, "Waybill", "1 lane"),
    unit: "",
    isMet: (value) => value >= 1000,
    remark:
      "A delivery waits for two commits, one before its prompt and one with its end, and for its own CPU time in between; a commit takes 0.3 to 0.5 ms on this disk. The next prompt already shares the commit that ends the delivery before it. It would take the same as above.",
  },
  {
    measure: "admission to prompt on OpenCode, p50, more than the SDK's direct call",
    before: "33 ms",
    goal: "< 15 ms",
    figure: ({ latency }) =>
      minus(
        wait(latency, "admission to prompt", "OpenCode through Waybill")?.median,
        wait(latency, "admission to prompt", "OpenCode, direct SDK call")?.median,
      ),
    unit: "ms",
    isMet: (value) => value < 15,
    remark: null,
  },
  {
    measure: "turn's end to `responded` on OpenCode, p50",
    before: "66 ms",
    goal: "< 40 ms",
    figure: ({ latency }) => wait(latency, "turn's end to responded", "OpenCode through Waybill")?.median,
    unit: "ms",
    isMet: (value) => value < 40,
    remark:
      "OpenCode's server takes most of it: it still summarises the turn after it has reported its end. A bare client that reads the same rows and the same status takes nearly as long. Waybill's own share is two commits, one after the other.",
  },
  {
    measure: "turn's end to `responded` on OpenCode, p99",
    before: "108 ms",
    goal: "< 150 ms",
    figure: ({ latency }) => wait(latency, "turn's end to responded", "OpenCode through Waybill")?.p99,
    unit: "ms",
    isMet: (value) => value < 150,
    remark: null,
  },
  {
    measure: "one reconcile at 10,000 messages, compared with 100",
    before: "not measured",
    goal: "< 1.5 ×",
    figure: ({ "long-sessions": sessions }) =>
      times(reconcile(sessions, "10000 messages"), reconcile(sessions, "100 messages")),
    unit: "×",
    isMet: (value) => value < 1.5,
    remark: null,
  },
  {
    measure: "idle CPU",
    before: "1.1 %",
    goal: "< 0.1 %",
    figure: ({ footprint }) => waybill(footprint, "idle CPU"),
    unit: "%",
    isMet: (value) => value < 0.1,
    remark:
      "Only the removal of old records wakes an idle worker, a minute after the start and every six hours (2 ms). V8's last garbage collection, up to twenty seconds after the last request, takes 70 to 100 ms once and does not count as idle.",
  },
  {
    measure: "start to ready without agents",
    before: "1,300 ms",
    goal: "< 400 ms",
    figure: ({ footprint }) => waybill(footprint, "start to ready"),
    unit: "ms",
    isMet: (value) => value < 400,
    remark:
      "Two starts of Node.js, one after the other, take two fifths of it. Most of the rest is compiling code, creating schemas and Node's own `Response`. It would take V8's code cache, which Node.js has from version 22 on.",
  },
  {
    measure: "command line, `lanes`",
    before: "290 ms",
    goal: "< 150 ms",
    figure: ({ footprint }) => waybill(footprint, "command line, `lanes`"),
    unit: "ms",
    isMet: (value) => value < 150,
    remark: null,
  },
  {
    measure: "resident memory of supervisor and worker with 1,000 lanes",
    before: "180 MB",
    goal: "< 130 MB",
    figure: ({ footprint }) => waybill(footprint, "resident memory", "1000 lanes"),
    unit: "MB",
    isMet: (value) => value < 130,
    remark: "Two thirds of it is Node.js itself, which both processes share and which is counted for both.",
  },
  {
    measure: "verified append to an inbox of 1,000 rows, 8 processes with 5 rows per second each, p50",
    before: "not measured",
    goal: "< 5 ms",
    figure: ({ inbox }) =>
      find(
        inbox?.measurements ?? [],
        "one append to an inbox of 1,000 rows",
        "Waybill",
        "8 writers, 5 rows per second each",
      )?.median,
    unit: "ms",
    isMet: (value) => value < 5,
    remark: null,
  },
  {
    measure: "opening a conversation of 5,000 messages in a browser, compared with one of 50",
    before: "not measured",
    goal: "< 3 ×",
    figure: ({ page }) => times(opening(page, "5,000 messages"), opening(page, "50 messages")),
    unit: "×",
    isMet: (value) => value < 3,
    remark: null,
  },
  {
    measure: "the longest task while a person scrolls through 5,000 messages",
    before: "not measured",
    goal: "≤ 100 ms",
    figure: ({ page }) => longestTask(page, "scrolling to the beginning"),
    unit: "ms",
    isMet: (value) => value <= 100,
    remark: null,
  },
  {
    measure: "the longest task while an agent writes 2,000 pieces after 5,000 messages",
    before: "not measured",
    goal: "≤ 100 ms",
    figure: ({ page }) => longestTask(page, "a turn of 2000 pieces"),
    unit: "ms",
    isMet: (value) => value <= 100,
    remark: null,
  },
];

function opening(result, condition) {
  return find(result?.measurements ?? [], "opening a conversation", "the page", condition)?.median;
}

function longestTask(result, subject) {
  return find(result?.measurements ?? [], "the longest task", subject, "5,000 messages")?.most;
}

function lives(result, subject, condition) {
  return find(result?.measurements ?? [], "deliveries per second", subject, condition)?.median;
}

function wait(result, chart, subject) {
  return find(result?.measurements ?? [], chart, subject);
}

function reconcile(result, condition) {
  return find(result?.measurements ?? [], "one reconcile", "OpenCode", condition)?.median;
}

function waybill(result, chart, condition) {
  return find(result?.measurements ?? [], chart, "Waybill", condition)?.median;
}

function times(one, other) {
  return one === undefined || other === undefined ? undefined : one / other;
}

function percent(one, other) {
  const ratio = times(one, other);
  return ratio === undefined ? undefined : ratio * 100;
}

function minus(one, other) {
  return one === undefined || other === undefined ? undefined : one - other;
}
