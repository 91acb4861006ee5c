/** Where Telegram calls the daemon. */
export const webhookPath = "/telegram/webhook";
