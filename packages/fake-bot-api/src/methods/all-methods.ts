/** The methods of each version of the Bot API. Their names are not case-sensitive. */
import type { BotApiVersion } from "../state/world.ts";
import { botMethods } from "./bot-profile.ts";
import { callbackMethods } from "./callbacks.ts";
import { chatMethods } from "./chats.ts";
import { draftMethods } from "./drafts.ts";
import { editMethods } from "./edit-messages.ts";
import { mediaMethods } from "./media.ts";
import type { Method } from "./method.ts";
import { sendMethods, sendRichMethods } from "./send-messages.ts";
import { topicMethods } from "./topics.ts";
import { updateMethods } from "./updates.ts";

const onlyInCurrent = { ...sendRichMethods, ...draftMethods };
const always = {
  ...botMethods,
  ...updateMethods,
  ...sendMethods,
  ...editMethods,
  ...mediaMethods,
  ...topicMethods,
  ...chatMethods,
  ...callbackMethods,
};

export type NamedMethod = { name: string; run: Method };

export function methodsOf(version: BotApiVersion): ReadonlyMap<string, NamedMethod> {
  const methods = version === "old" ? always : { ...always, ...onlyInCurrent };
  return new Map(Object.entries(methods).map(([name, run]) => [name.toLowerCase(), { name, run }]));
}
