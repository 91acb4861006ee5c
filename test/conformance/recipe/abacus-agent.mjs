#!/usr/bin/env node
/** An agent for the recipe: it plays the first scenes of the conformance suite over JSON-RPC, and stores its own transcript. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [path = ""] = process.argv.slice(2);
const stored = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").map(JSON.parse) : [];
const known = new Set(stored.map(({ id }) => id));
const waiting = new Map();
let stop = () => {};
let count = stored.length;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function store(row) {
  const whole = { at: Date.now(), ...row };
  known.add(row.id);
  appendFileSync(path, `${JSON.stringify(whole)}\n`);
  send({ method: "row", params: whole });
}

function say(parent, text, more = {}) {
  count += 1;
  store({ id: `row_${process.pid}_${count}`, parent, text, ...more });
}

/** Resolves to null if the turn is stopped first. */
function ask(call, tool, input) {
  const id = `ask_${call}`;
  send({ id, method: "ask", params: { call, tool, input } });
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    stop = () => resolve(null);
  });
}

async function turn(prompt, text) {
  const call = `call_${process.pid}_${count}`;
  if (text.includes("answers")) say(prompt, "It is 4.");
  if (text.includes("works")) {
    const tool = { id: call, name: "read", input: { path: "README.md" }, output: "# A heading" };
    say(prompt, "I read it.", { tool });
    say(prompt, "It has one line.");
  }
  if (text.includes("permission")) {
    const input = { command: "sh -c true" };
    const answer = await ask(call, "bash", input);
    const rejected = answer?.decision === "reject";
    if (answer) say(prompt, "May I?", { tool: { id: call, name: "bash", input, output: "", rejected } });
    if (answer === null || rejected) return send({ method: "turn/ended", params: { stopped: true } });
    say(prompt, "It is done.");
  }
  if (text.includes("question")) {
    const input = { questions: [{ question: "Which colour?" }] };
    const answer = await ask(call, "question", input);
    if (answer === null) return send({ method: "turn/ended", params: { stopped: true } });
    say(prompt, "Tell me.", { tool: { id: call, name: "question", input, output: answer.answers.join() } });
    say(prompt, "Thank you.");
  }
  send({ method: "turn/ended", params: {} });
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "prompt") {
    const isKnown = known.has(params.id);
    if (!isKnown) store({ id: params.id, parent: null, text: params.text });
    send({ id, result: { isKnown } });
    if (!isKnown) void turn(params.id, params.text);
  } else if (method !== undefined) {
    send({ id, result: {} });
    if (method === "stop") stop();
  } else waiting.get(id)?.(result);
});
