import { useStore } from "../live/store.ts";
import { IconButton } from "../ui/button.tsx";
import { notifySetting, switchNotifications } from "./desktop-notifications.ts";

export function NotifyToggle() {
  const isOn = useStore(notifySetting) === "on";
  return (
    <IconButton
      icon={isOn ? "bell" : "bellOff"}
      label="Notify me of asks, answers and failures while this page is hidden"
      aria-pressed={isOn}
      onClick={() => void switchNotifications()}
    />
  );
}

/** Explains why notifications cannot be enabled. */
export function NotifyProblem() {
  const setting = useStore(notifySetting);
  const words =
    setting === "blocked"
      ? "The browser blocks notifications from this page. Allow them in its site settings, then try again."
      : setting === "unsupported"
        ? "This browser cannot show notifications from this page."
        : null;
  return (
    <p role="status" className={words === null ? "sr-only" : "border-t border-line px-3 py-2 text-sm text-wait"}>
      {words}
    </p>
  );
}
