/** Warns that the daemon cannot be reached and the page may be out of date. */
import { connection } from "../live/live.ts";
import { useStore } from "../live/store.ts";
import { Icon } from "../ui/icon.tsx";

export function ConnectionBanner() {
  const state = useStore(connection);
  if (state !== "offline") return null;
  return (
    <div role="alert" className="flex items-center justify-center gap-2 bg-wait-soft px-3 py-1 text-wait">
      <Icon name="warning" className="size-3.5" />
      Waybill does not answer. What you see may be out of date. The page reconnects automatically.
    </div>
  );
}
