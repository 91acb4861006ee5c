import type { Ask } from "waybill/client";
import { Icon } from "../ui/icon.tsx";
import { exactText } from "../ui/safe-text.ts";
import { Elapsed } from "../ui/time.tsx";
import { openAsk } from "./tray-state.ts";

/** An ask other than the unfolded one. */
export function FoldedAsk({ ask, laneName }: { ask: Ask; laneName: string }) {
  return (
    <button
      type="button"
      data-ask={ask.id}
      aria-expanded={false}
      onClick={() => openAsk(ask.id)}
      className="flex h-7 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover"
    >
      <Icon name="chevron" className="size-3 text-faint" />
      <span className="shrink-0 font-medium">{laneName}</span>
      <span className="min-w-0 grow truncate text-muted">{exactText(ask.title)}</span>
      <span className="shrink-0 text-sm text-faint">
        <Elapsed since={ask.since} />
      </span>
    </button>
  );
}
