import type { Source } from "../../../../core/message/message.ts";

/** How prompts of OpenCode's clients came in. */
export const promptSource: Source = "ui";
