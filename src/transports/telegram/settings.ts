/** What the transport is told by the configuration. */

export type TelegramSettings = {
  token: string;
  /** The Bot API server; Telegram's own unless somebody runs another. */
  apiRoot: string;
  /** Numeric ids. A private chat needs its user listed, a group its chat and its user. Empty lists allow nobody. */
  allowedUsers: readonly number[];
  allowedChats: readonly number[];
  /** Who may restart Waybill. Empty: every allowed user. */
  admins: readonly number[];
  /** Where a topic works that has chosen no workspace. */
  defaultWorkspace: string;
  /** The pause between two polls. */
  pollIntervalMs: number;
  /** How long a poll waits for news, and how long any call may take in addition. */
  longPollMs: number;
  callTimeoutMs: number;
  webhook: { url: string; secret: string } | null;
  progress: { firstMs: number; everyMs: number; maxCount: number };
  /** How long a previewed answer rests between two changes. */
  previewEveryMs: number;
  /** Whether answers end with time and cost. */
  footer: boolean;
};
