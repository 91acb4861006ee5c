/** Translates the lines of one Abacus process to signals. */
import type { SignalBody } from "../../../../src/core/turn/signal.ts";
import type { Json } from "../../../../src/runtimes/json-fields.ts";
import { asObject, asText } from "../../../../src/runtimes/json-fields.ts";
import type { AskAnswer } from "../../../../src/runtimes/port.ts";
import type { AskSignal } from "../../../../src/runtimes/process-pool/asks.ts";
import { answeredSignal, askSignal } from "../../../../src/runtimes/process-pool/asks.ts";
import type { LineTranslator } from "../../../../src/runtimes/process-pool/signal-publisher.ts";
import { unparsed } from "../../../../src/runtimes/process-pool/signal-publisher.ts";
import { askIn, rowIn } from "./lines.ts";

export class AbacusTranslator implements LineTranslator {
  readonly #asks = new Map<string, AskSignal>();

  translate(text: string, line: Json | null): SignalBody[] {
    const params = asObject(line?.params) ?? {};
    switch (line?.method) {
      case "row":
        return rowSignals(params);
      case "ask": {
        const signal = askSignal(askIn(asText(line.id) ?? "", params));
        this.#asks.set(signal.ask, signal);
        return [signal];
      }
      case "turn/ended":
        return [{ type: "rest", reason: params.stopped === true ? "aborted" : "completed", queued: 0 }];
      default:
        return line?.result === undefined ? [unparsed("unknown line", text)] : [];
    }
  }

  askAnswered(ask: string, answer: AskAnswer): SignalBody[] {
    const asked = this.#asks.get(ask);
    return asked ? [answeredSignal(asked, answer)] : [];
  }

  interrupted(): SignalBody[] {
    return [{ type: "stopped" }];
  }
}

function rowSignals(params: Json): SignalBody[] {
  const { id: message, role, parentId: prompt, text, tools, error } = rowIn(params);
  const part = `${message}:text`;
  if (role === "user")
    return [{ type: "prompt", message, parts: [{ type: "text", id: part, text }] }, { type: "busy" }];
  return [
    { type: "message", message, prompt },
    ...(text === "" ? [] : [{ type: "part" as const, message, part, kind: "text" as const, text }]),
    ...tools.map(({ id: call, name, input, output, rejected }): SignalBody => {
      const state = rejected
        ? { status: "error" as const, input, output, rejected }
        : { status: "completed" as const, input, output };
      return { type: "tool", message, call, name, state };
    }),
    { type: "message_done", message, error, usage: null },
  ];
}
