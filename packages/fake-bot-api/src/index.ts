/** What other programs use of the fake Bot API. */
export { type FakeBotApi, type FakeBotApiOptions, startFakeBotApi } from "./fake-bot-api.ts";
export type { ChatHandle } from "./people/chat-handle.ts";
export type { ChatView, ShownMessage } from "./people/chat-view.ts";
export type { SendOptions } from "./people/write.ts";
export type { Fault } from "./server/faults.ts";
