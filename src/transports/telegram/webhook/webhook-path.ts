/** The path that Telegram calls. */
export const webhookPath = "/telegram/webhook";
