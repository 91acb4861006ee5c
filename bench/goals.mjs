/**
 * What was aimed at, and which measurement says whether it is reached. `remark` is written by a person: for a goal that is
 * not met, why, and what it would take.
 */
import { find } from "./harness/measurement.mjs";

export const goals = [
  {
    measure: "lives a second with 100 lanes, over pg-boss in the same run",
    before: "1.07 ×",
    goal: "≥ 5 ×",
    figure: ({ ledger }) => times(lives(ledger, "Waybill", "100 lanes"), lives(ledger, "pg-boss", "100 lanes")),
    unit: "×",
    isMet: (value) => value >= 5,
    remark:
      "SQLite needs about a quarter of the CPU of a life. Most of the rest is JavaScript: copying records of sixty fields at every event, making and serialising events, collecting what is left of them. It would take records that are changed in place, several events of an agent in one row, and a thread of its own for writing, so that both cores work.",
  },
  {
    measure: "lives a second with 100 lanes, of what SQLite alone does with the same statements",
    before: "not measured",
    goal: "≥ 25 %",
    figure: ({ ledger }) =>
      percent(lives(ledger, "Waybill", "100 lanes"), lives(ledger, "limit: same statements", "100 lanes")),
    unit: "%",
    isMet: (value) => value >= 25,
    remark:
      "As above. The statements became cheaper faster than the code around them: the limit itself rose by two thirds.",
  },
  {
    measure: "lives a second with 1 lane",
    before: "200",
    goal: "≥ 1,000",
    figure: ({ ledger }) => lives(ledger, "Waybill", "1 lane"),
    unit: "",
    isMet: (value) => value >= 1000,
    remark:
      "A life waits for two commits, one before its prompt and one with its end, and for its own CPU in between; a commit takes 0.3 to 0.5 ms on this disk. The next prompt already shares the commit that ends the life before it. It would take the same as above.",
  },
  {
    measure: "admission to prompt on OpenCode, p50, over the SDK's direct call",
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
      "Most of it passes in OpenCode's server, which still sums up the turn when it has reported its end: a bare client that reads the same rows and the same status in one round takes nearly as long. Waybill's own share is two commits, one after the other.",
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
    measure: "one reconcile at 10,000 messages, over 100",
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
      "Only the removal of old records wakes an idle worker, a minute after the start and every six hours (2 ms). V8's last collection of garbage, up to twenty seconds after the last request, takes 70 to 100 ms once and does not count as idle.",
  },
  {
    measure: "start to ready without agents",
    before: "1,300 ms",
    goal: "< 400 ms",
    figure: ({ footprint }) => waybill(footprint, "start to ready"),
    unit: "ms",
    isMet: (value) => value < 400,
    remark:
      "Two starts of Node.js, one after the other, take two fifths of it; most of the rest is compiling code, making schemas and Node's own `Response`. It would take V8's code cache, which Node.js has from version 22 on.",
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
    remark: "Two thirds of it are Node's own program, which both processes share and both count.",
  },
  {
    measure: "verified append to an inbox of 1,000 rows, 8 processes with 5 rows a second each, p50",
    before: "not measured",
    goal: "< 5 ms",
    figure: ({ inbox }) =>
      find(
        inbox?.measurements ?? [],
        "one append to an inbox of 1,000 rows",
        "Waybill",
        "8 writers, 5 rows a second each",
      )?.median,
    unit: "ms",
    isMet: (value) => value < 5,
    remark: null,
  },
];

function lives(result, subject, condition) {
  return find(result?.measurements ?? [], "lives a second", subject, condition)?.median;
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
