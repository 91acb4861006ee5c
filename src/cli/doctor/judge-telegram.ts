/** Judges the facts about the Telegram bot. Pure. */
import type { Check } from "../../platform/doctor-check.ts";
import { failed, failedBy, ok, warning } from "../../platform/doctor-check.ts";
import type { Bot, WebhookState } from "../telegram/look-up-bot.ts";
import type { TelegramFacts } from "./telegram-facts.ts";

export function judgeTelegram(facts: TelegramFacts | null): Check[] {
  if (facts === null) return [];
  return [...judgeBot(facts), judgeAccess(facts), ...judgeWorkspace(facts)];
}

function judgeBot(facts: TelegramFacts): Check[] {
  const name = "Telegram bot";
  const { lookup, apiRoot } = facts;
  switch (lookup.state) {
    case "refused":
      return [failed(name, "Telegram refuses the bot token.", "Ask @BotFather for a new one (/token).")];
    case "unreachable":
      return [
        warning(
          name,
          `Could not reach ${apiRoot}, so the token was not checked.`,
          "Check the network, your proxy and telegramApiRoot. Messages wait until Telegram can be reached.",
        ),
      ];
    case "found": {
      const found = ok(name, `The token belongs to @${lookup.bot.username}.`);
      return [found, judgeWebhook(lookup.webhook, facts), ...judgePrivacy(lookup.bot, facts)];
    }
    default:
      return lookup satisfies never;
  }
}

function judgeWebhook({ url, waiting, lastError }: WebhookState, { webhookUrl }: TelegramFacts): Check {
  const name = "Telegram updates";
  const held = waiting === 0 ? "" : ` ${waiting} waiting at Telegram.`;
  if (webhookUrl === null) {
    if (url === "") return ok(name, `Waybill polls for updates.${held}`);
    return warning(
      name,
      `A webhook is set (${url}), but this configuration polls. Telegram refuses polling until the webhook is removed.`,
      "The next start removes it. If another program uses this bot, create a separate bot for Waybill.",
    );
  }
  if (url !== webhookUrl) {
    const current = url === "" ? "No webhook is set yet." : `Another webhook is set: ${url}.`;
    return warning(name, `${current}${held}`, `The next start sets ${webhookUrl}.`);
  }
  if (lastError === null) return ok(name, `Telegram calls ${url}.${held}`);
  return warning(
    name,
    `Telegram's last call to ${url} failed: ${lastError}.${held}`,
    "Check that the address reaches the daemon's /telegram/webhook, and that its certificate is valid.",
  );
}

function judgePrivacy({ username, readsGroups }: Bot, { allowedChats }: TelegramFacts): Check[] {
  if (allowedChats === 0) return [];
  const name = "Telegram privacy mode";
  if (readsGroups) return [ok(name, "The bot sees all messages in its groups.")];
  return [
    warning(
      name,
      "In groups the bot sees only commands, replies and mentions, unless it is an administrator.",
      `Make @${username} an administrator of the group; or turn privacy mode off (@BotFather, /setprivacy), then remove the bot from the group and add it again.`,
    ),
  ];
}

function judgeAccess({ allowedUsers, allowedChats }: TelegramFacts): Check {
  const name = "Telegram access";
  if (allowedUsers === 0) {
    return warning(
      name,
      "telegramAllowedUsers is empty, so nobody may use the bot.",
      "Add your numeric id to it. The daemon logs the id of everyone it refuses.",
    );
  }
  return ok(
    name,
    `Allowed: ${counted(allowedUsers, "person", "people")}, ${counted(allowedChats, "group", "groups")}.`,
  );
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}

function judgeWorkspace({ workspace }: TelegramFacts): Check[] {
  if (workspace === null) return [];
  const name = "Telegram workspace";
  const { path, problem } = workspace;
  return [problem ? failedBy(name, problem) : ok(name, `${path} exists and is allowed.`)];
}
