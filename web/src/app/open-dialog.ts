/** The open dialog, of those that can be opened from anywhere. */
import { createStore } from "../live/store.ts";

export type OpenDialog = "palette" | "new-lane" | "shortcuts" | null;

export const openDialog = createStore<OpenDialog>(null);
