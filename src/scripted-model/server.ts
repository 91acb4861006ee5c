/**
 * A model on loopback that answers by a script, for tests and for the demo: real agent programs take it for a provider
 * of OpenAI's chat completions or of Anthropic's messages. It stands alone and knows nothing of deliveries.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { anthropic } from "./anthropic.ts";
import type { Call } from "./call-log.ts";
import { CallLog } from "./call-log.ts";
import { openai } from "./openai.ts";
import { pick } from "./pick.ts";
import { play, sendError, sendJson } from "./play.ts";
import { reasonOf } from "./reason.ts";
import type { HttpError, Script, ScriptInput } from "./script.ts";
import { scriptSchema } from "./script.ts";
import type { Api } from "./wire.ts";

export type ScriptedModelOptions = {
  script: ScriptInput;
  /** Any free one unless given. */
  port?: number;
  /** Hears of every call before it is answered, and what the model is told beside the prompt and before it. */
  onCall?: (call: Call, system: string, earlier: string) => void;
  /** A file that keeps the calls, and with them what the script used up. */
  logPath?: string;
};

export type ScriptedModel = {
  url: string;
  port: number;
  /** Since it was started, the oldest first. */
  calls: readonly Call[];
  /** For the calls from now on; rules for a single turn can serve one again. */
  setScript(script: ScriptInput): void;
  /** Whoever still waits for an answer gets none. */
  close(): Promise<void>;
};

export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const state: State = {
    script: scriptSchema.parse(options.script),
    log: new CallLog(options.logPath),
    onCall: options.onCall ?? (() => {}),
  };
  state.log.resume(state.script);
  const running = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const work = serve(state, request, response).finally(() => running.delete(work));
    running.add(work);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls: state.log.calls,
    setScript(script) {
      state.script = scriptSchema.parse(script);
      state.log.begin(state.script);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await Promise.all(running);
      state.log.close();
    },
  };
}

type State = { script: Script; log: CallLog; onCall: (call: Call, system: string, earlier: string) => void };

const apis: Record<string, Api> = { "/v1/chat/completions": openai, "/v1/messages": anthropic };

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const path = (request.url ?? "").split("?")[0] ?? "";
  const api = request.method === "POST" ? apis[path] : undefined;
  try {
    if (api) await answerCall(state, api, await bodyOf(request), response, gone.signal);
    else if (request.method === "GET" && path === "/v1/models") sendJson(response, 200, models);
    else if (request.method === "POST" && path === "/v1/messages/count_tokens") {
      sendJson(response, 200, { input_tokens: Math.ceil(anthropic.read(await bodyOf(request)).size / 4) });
    } else sendError(openai, { status: 404, message: `There is no ${request.method} ${path} here.` }, response);
  } catch (error) {
    if (gone.signal.aborted || response.headersSent) return void response.destroy();
    sendError(api ?? anthropic, refusalOf(error), response);
  }
}

function refusalOf(error: unknown): HttpError {
  const inRequest = error instanceof z.ZodError || error instanceof SyntaxError;
  return { status: inRequest ? 400 : 500, message: reasonOf(error) };
}

const models = {
  object: "list",
  has_more: false,
  data: [
    { id: "scripted", object: "model", type: "model", display_name: "Scripted", created: 0, owned_by: "scripted" },
  ],
};

async function answerCall(
  { script, log, onCall }: State,
  api: Api,
  body: unknown,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const asked = api.read(body);
  const { kind, rule, step, answer } = pick(script, asked, log.isUsed, () => randomUUID().slice(0, 8));
  const { prompt, tools } = asked;
  const call = log.add({ at: Date.now(), api: asked.api, kind, prompt, step, rule, tools });
  onCall(call, asked.system, asked.earlier);
  try {
    await play(api, asked, answer, script, response, gone);
    log.end(call, Date.now(), false);
  } catch (error) {
    if (!gone.aborted && !response.destroyed) throw error;
    log.end(call, Date.now(), true);
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let body = "";
  request.setEncoding("utf8");
  for await (const chunk of request) body += chunk;
  return JSON.parse(body);
}
