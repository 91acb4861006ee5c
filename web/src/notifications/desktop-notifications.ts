/** Desktop notifications, if enabled: only while the page is hidden, and removed when it is visible again. */
import { createStore } from "../live/store.ts";
import type { News } from "./news.ts";

/** `blocked`: the browser does not allow notifications; only a person can change that, in its settings. */
export type NotifySetting = "off" | "on" | "blocked" | "unsupported";

const key = "waybill-notify";

export const notifySetting = createStore<NotifySetting>(storedSetting());

const shown = new Map<string, Notification>();

function storedSetting(): NotifySetting {
  if (localStorage.getItem(key) !== "on" || typeof Notification === "undefined") return "off";
  return Notification.permission === "granted" ? "on" : "off";
}

/** The browser asks the person, so call this only from a click. */
export async function switchNotifications(): Promise<void> {
  if (notifySetting.latest() === "on") return keep("off");
  if (typeof Notification === "undefined") return keep("unsupported");
  const permission = Notification.permission === "granted" ? "granted" : await Notification.requestPermission();
  keep(permission === "granted" ? "on" : "blocked");
}

function keep(setting: NotifySetting): void {
  if (setting === "on") localStorage.setItem(key, "on");
  else localStorage.removeItem(key);
  notifySetting.set(setting);
}

export function notify({ tag, title, body }: News, onClick: () => void): void {
  if (notifySetting.latest() !== "on" || !document.hidden) return;
  try {
    const notification = new Notification(title, { tag, body });
    notification.onclick = () => {
      window.focus();
      withdrawNotification(tag);
      onClick();
    };
    shown.set(tag, notification);
  } catch {
    // Mobile browsers define it, but accept notifications from service workers only.
    keep("unsupported");
  }
}

export function withdrawNotification(tag: string): void {
  shown.get(tag)?.close();
  shown.delete(tag);
}

/** No notifications while the page is visible. */
export function withdrawAll(): void {
  for (const tag of [...shown.keys()]) withdrawNotification(tag);
}
