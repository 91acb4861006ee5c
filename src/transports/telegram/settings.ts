/** The transport's settings. */

export type TelegramSettings = {
  token: string;
  /** The Bot API server: Telegram's own, or a self-hosted one. */
  apiRoot: string;
  /** Numeric ids. A private chat needs its user listed, a group its chat and the user. Empty lists allow no one. */
  allowedUsers: readonly number[];
  allowedChats: readonly number[];
  /** Who may restart Waybill. Empty: every allowed user. */
  admins: readonly number[];
  /** Used until a topic chooses a workspace. */
  defaultWorkspace: string;
  /** The pause between polls. */
  pollIntervalMs: number;
  /** How long a poll waits for updates, and how long any call may take on top of that. */
  longPollMs: number;
  callTimeoutMs: number;
  webhook: { url: string; secret: string } | null;
  progress: { firstMs: number; everyMs: number; maxCount: number };
  /** The shortest time between two previews of an answer. */
  previewEveryMs: number;
  /** Whether answers end with time and cost. */
  footer: boolean;
};
