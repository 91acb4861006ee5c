/** Who may use the bot, by numeric ids that nobody can choose. Pure. */
import type { TelegramSettings } from "../settings.ts";
import type { Place } from "./read-update.ts";

export type AccessRules = Pick<TelegramSettings, "allowedUsers" | "allowedChats" | "admins">;

/** `formerChat`: the id of a group before it became a supergroup. */
export function mayUse(rules: AccessRules, place: Place, user: number, formerChat: number | null): boolean {
  if (!rules.allowedUsers.includes(user)) return false;
  if (place.isPrivate) return place.chat === user;
  return rules.allowedChats.includes(place.chat) || (formerChat !== null && rules.allowedChats.includes(formerChat));
}

export function isAdmin({ admins }: AccessRules, user: number): boolean {
  return admins.length === 0 || admins.includes(user);
}
