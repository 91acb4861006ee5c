/** What counts as proof, what was seen, and why that is or is not enough. */
import type { DeliveryDetail } from "waybill/client";
import type { IconName } from "../ui/icon.tsx";
import { Icon } from "../ui/icon.tsx";
import { exactText } from "../ui/safe-text.ts";
import { RelativeTime } from "../ui/time.tsx";
import type { EvidenceItem } from "./evidence-list.ts";
import { evidenceItems, verdictOf } from "./evidence-list.ts";
import { wantedOf } from "./proof-words.ts";
import { Id, Section } from "./section.tsx";

const looks: Record<EvidenceItem["state"], { icon: IconName; className: string; name: string }> = {
  yes: { icon: "check", className: "text-good", name: "seen" },
  no: { icon: "cross", className: "text-bad", name: "missing" },
  open: { icon: "clock", className: "text-faint", name: "not seen" },
};

export function EvidenceSection({ detail }: { detail: DeliveryDetail }) {
  const verdict = verdictOf(detail);
  const items = evidenceItems(detail);
  const wanted = wantedOf(detail.actionMode, detail.message);
  const { observedAt } = detail.evidence;
  return (
    <Section
      title="Evidence"
      aside={
        observedAt !== null && (
          <span className="text-sm text-faint">
            seen <RelativeTime at={observedAt} />
          </span>
        )
      }
    >
      <div className="divide-y divide-line rounded-md border border-line">
        <div className="px-3 py-2">
          <p className={`flex items-center gap-1.5 font-semibold ${verdict.suffices ? "text-good" : "text-ink"}`}>
            {verdict.suffices && <Icon name="checks" />}
            {verdict.name}
          </p>
          <p className="text-muted wrap-anywhere">{verdict.meaning}</p>
        </div>
        <div className="px-3 py-2">
          <p>
            <span className="text-faint">Wanted:</span> {wanted.name}
          </p>
          <p className="text-muted">{wanted.closes}</p>
        </div>
        {items.length > 0 && (
          <ul className="flex flex-col gap-1.5 px-3 py-2">
            {items.map((item) => (
              <Item key={item.key} item={item} />
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
}

function Item({ item: { state, words, ids } }: { item: EvidenceItem }) {
  const look = looks[state];
  return (
    <li className="flex gap-2">
      <Icon name={look.icon} className={`mt-0.5 size-4 ${look.className}`} />
      <div className="min-w-0 wrap-anywhere">
        <span className="sr-only">{look.name}: </span>
        {exactText(words)}
        {ids.map((id) => (
          <div key={id}>
            <Id id={exactText(id)} />
          </div>
        ))}
      </div>
    </li>
  );
}
