/** Answers to button presses. A query can be answered once, and only for a short time. */
import { badRequest } from "../bot-api-error.ts";
import { flag, type Method, method, text } from "./method.ts";

export const callbackMethods: Record<string, Method> = {
  answerCallbackQuery: method(
    { callback_query_id: text, text: text.optional(), show_alert: flag.optional(), url: text.optional() },
    (world, args) => {
      const pending = world.queries.get(args.callback_query_id);
      if (!pending || pending.expiresAt <= world.clock.now()) {
        throw badRequest("query is too old and response timeout expired or query ID is invalid");
      }
      if ((args.text?.length ?? 0) > 200) throw badRequest("MESSAGE_TOO_LONG");
      world.queries.delete(args.callback_query_id);
      pending.answered({ text: args.text, showAlert: args.show_alert ?? false, url: args.url });
      return true;
    },
  ),
};
