/** Answers one HTTP request: finds the method, applies injected faults, and sends the answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { methodNotFound, unauthorized } from "../bot-api-error.ts";
import type { NamedMethod } from "../methods/all-methods.ts";
import type { World } from "../state/world.ts";
import { type Answer, afterHandling, type Effect, failure, insteadOfHandling, success } from "./answer.ts";
import type { Call, CallLog } from "./call-log.ts";
import type { Faults } from "./faults.ts";
import { type RequestBody, readBody } from "./request-body.ts";

export type ServerState = {
  world: World;
  methods: ReadonlyMap<string, NamedMethod>;
  /** `undefined` after it was revoked. */
  token: string | undefined;
  log: CallLog;
  faults: Faults;
};

export async function serve(state: ServerState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  try {
    const url = new URL(request.url ?? "/", "http://telegram");
    const [, token = "", name = ""] = /^\/bot([^/]+)\/([^/]+)$/.exec(url.pathname) ?? [];
    const [, fileToken, path = ""] = /^\/file\/bot([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
    if (fileToken !== undefined) return sendFile(state, fileToken, path, response);
    const body = readBody(request.headers["content-type"] ?? "", url.searchParams, await buffer(request));
    const method = state.methods.get(name.toLowerCase());
    if (token !== state.token) return send(response, failure(token ? unauthorized() : methodNotFound()));
    const call = state.log.add(method?.name ?? name, body.params, body.files);
    await answerCall(state, call, method, body, response, closed.signal);
  } catch (error) {
    if (!response.headersSent && !response.destroyed) send(response, failure(error));
  }
}

async function answerCall(
  { world, log, faults }: ServerState,
  call: Call,
  method: NamedMethod | undefined,
  { params, files }: RequestBody,
  response: ServerResponse,
  closed: AbortSignal,
): Promise<void> {
  const finish = (answer: Answer) => {
    response.once("finish", () => {
      call.outcome = { type: "answered", status: answer.status, body: "body" in answer ? answer.body : answer.text };
      log.notify("answered", call);
    });
    send(response, answer);
  };
  response.once("close", () => {
    if (call.outcome.type !== "running") return;
    call.outcome = { type: "lost" };
    log.notify("lost", call);
  });

  log.notify("arrived", call);
  await faults.pass(call, "before");
  const fault = faults.take(call);
  const instead = fault && insteadOfHandling(fault);
  if (instead) return carryOut(instead, response, finish);
  if (closed.aborted) return;

  const answer = await handle(() => (method ? method.run({ world, params, files, closed }) : refuse()));
  log.notify("handled", call);
  await faults.pass(call, "after");
  if (fault?.type === "delay") await delay(fault.ms, closed);
  if (closed.aborted) return;
  carryOut(fault ? afterHandling(fault, answer) : { type: "answer", answer }, response, finish);
}

function refuse(): never {
  throw methodNotFound();
}

async function handle(run: () => unknown): Promise<Answer> {
  try {
    return success(await run());
  } catch (error) {
    return failure(error);
  }
}

function carryOut(effect: Effect, response: ServerResponse, finish: (answer: Answer) => void): void {
  switch (effect.type) {
    case "answer":
      return finish(effect.answer);
    case "cut":
      return void response.destroy();
    case "hang":
      return;
    default:
      return effect satisfies never;
  }
}

function send(response: ServerResponse, answer: Answer): void {
  const isJson = "body" in answer;
  response.writeHead(answer.status, { "content-type": isJson ? "application/json" : "text/html" });
  response.end(isJson ? JSON.stringify(answer.body) : answer.text);
}

function sendFile({ token, world }: ServerState, given: string, path: string, response: ServerResponse): void {
  const file = given === token ? world.files.findByPath(path) : undefined;
  if (!file) return send(response, { status: 404, body: { ok: false, error_code: 404, description: "Not Found" } });
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": file.bytes.length });
  response.end(file.bytes);
}

function delay(ms: number, closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    closed.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
