/** A word to whoever sits before one of OpenCode's terminals: it stands in a corner for a while. */
import type { EventTuiToastShow } from "@opencode-ai/sdk/v2/types";

/** Long enough to be read twice. */
const shownMs = 8000;

export function toast(message: string): EventTuiToastShow {
  return { type: "tui.toast.show", properties: { title: "Not done", message, variant: "warning", duration: shownMs } };
}
