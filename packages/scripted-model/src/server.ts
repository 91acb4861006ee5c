/**
 * A scripted model on loopback, for tests and for the demo. Real agent programs use it as a provider of OpenAI's chat
 * completions or Anthropic's messages. It is self-contained and knows nothing about deliveries.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { anthropic } from "./anthropic.ts";
import type { ModelCall } from "./call-log.ts";
import { CallLog } from "./call-log.ts";
import { chooseAnswer } from "./choose-answer.ts";
import type { ModelApi } from "./model-api.ts";
import { openai } from "./openai.ts";
import type { ModelScript, ModelScriptInput } from "./script.ts";
import { describeError, modelScriptSchema } from "./script.ts";
import { sendAnswer, sendError, sendJson } from "./send-answer.ts";

export type ScriptedModelOptions = {
  script: ModelScriptInput;
  /** Any free port by default. */
  port?: number;
  /** Invoked for each call before it is answered, with its system prompt and the user's earlier texts. */
  onCall?: (call: ModelCall, system: string, earlier: string) => void;
  /** A file that records the calls, and thus which rules were used. */
  logPath?: string;
};

export type ScriptedModel = {
  url: string;
  port: number;
  /** All calls since the start, oldest first. */
  calls: readonly ModelCall[];
  /** Applies to later calls; `once` rules can match again. */
  setScript(script: ModelScriptInput): void;
  /** Pending calls get no answer. */
  close(): Promise<void>;
};

export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const { onCall = () => {} } = options;
  const state: State = {
    script: modelScriptSchema.parse(options.script),
    log: new CallLog(options.logPath),
    onCall,
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
      state.script = modelScriptSchema.parse(script);
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

type State = { script: ModelScript; log: CallLog; onCall: NonNullable<ScriptedModelOptions["onCall"]> };

const apis: Record<string, ModelApi> = {
  "POST /v1/chat/completions": openai,
  "POST /v1/messages": anthropic,
};

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  const route = `${request.method} ${request.url?.split("?")[0]}`;
  const api = apis[route];
  try {
    if (api) await answerCall(state, api, await json(request), response, closed.signal);
    else if (route === "GET /v1/models") sendJson(response, 200, models);
    else if (route === "POST /v1/messages/count_tokens") {
      sendJson(response, 200, { input_tokens: Math.ceil(anthropic.read(await json(request)).size / 4) });
    } else sendError(openai, { status: 404, message: `Not found: ${route}.` }, response);
  } catch (error) {
    if (closed.signal.aborted || response.headersSent) return void response.destroy();
    const status = error instanceof z.ZodError || error instanceof SyntaxError ? 400 : 500;
    sendError(api ?? anthropic, { status, message: describeError(error) }, response);
  }
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
  api: ModelApi,
  body: unknown,
  response: ServerResponse,
  closed: AbortSignal,
): Promise<void> {
  const request = api.read(body);
  const { answer, ...choice } = chooseAnswer(script, request, log.isUsed, () => randomUUID().slice(0, 8));
  const { api: name, prompt, tools, files } = request;
  const call = log.add({ at: Date.now(), api: name, prompt, tools, files, ...choice });
  onCall(call, request.system, request.earlier);
  try {
    await sendAnswer({ api, request, answer, pace: script, response, closed });
    log.end(call, Date.now(), false);
  } catch (error) {
    if (!closed.aborted && !response.destroyed) throw error;
    log.end(call, Date.now(), true);
  }
}
