/** Who may use the bot, by numeric ids, which people cannot choose. Pure. */
import { AppError } from "../../../platform/app-error.ts";
import type { TelegramSettings } from "../settings.ts";
import type { Place } from "./read-update.ts";

type AccessRules = Pick<TelegramSettings, "allowedUsers" | "allowedChats" | "admins">;

/** `formerChat`: the id of a group before it became a supergroup. */
export function mayUse(rules: AccessRules, place: Place, user: number, formerChat: number | null): boolean {
  if (!rules.allowedUsers.includes(user) || !isListed(rules, place, formerChat)) return false;
  return !place.isPrivate || place.chat === user;
}

/** Whether the bot may be used in a place at all. Events from other places are not stored. */
export function isListed(
  { allowedUsers, allowedChats }: AccessRules,
  place: Place,
  formerChat: number | null,
): boolean {
  if (place.isPrivate) return allowedUsers.includes(place.chat);
  return allowedChats.includes(place.chat) || (formerChat !== null && allowedChats.includes(formerChat));
}

export function isAdmin({ admins }: AccessRules, user: number): boolean {
  return admins.length === 0 || admins.includes(user);
}

export function adminsOnly(): AppError {
  const hint = "Ask one of the people in telegramAdmins.";
  return new AppError({ code: "not_allowed", message: "Only administrators may do this.", hint });
}
