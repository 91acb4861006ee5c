import type { Source } from "../../../../core/message/message.ts";

/** The source of prompts from OpenCode's clients. */
export const promptSource: Source = "ui";
