/** Diagnostics to copy as text, and the raw record. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DeliveryDetail } from "waybill/client";
import { Output } from "../conversation/parts/output.tsx";
import { versionQuery } from "../live/queries.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { exactText } from "../ui/safe-text.ts";
import { diagnosticFields, diagnosticText } from "./diagnostics-text.ts";
import { Section } from "./section.tsx";

export function DiagnosticsSection({ detail }: { detail: DeliveryDetail }) {
  const { data: version = null } = useQuery(versionQuery);
  return (
    <Section title="Diagnostics" aside={<CopyButton text={diagnosticText(detail, version)} label="Copy diagnostics" />}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 rounded-md border border-line px-3 py-2 text-sm">
        {diagnosticFields(detail, version).map(({ name, value }) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="font-mono text-xs leading-[1.125rem] break-all text-muted">{exactText(value)}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-1 text-sm text-faint">It does not include what was said.</p>
      <RawRecord detail={detail} />
    </Section>
  );
}

/** What the ledger knows, without the texts, which are shown elsewhere on the page. */
function RawRecord({ detail: { message: _, replies: __, ...record } }: { detail: DeliveryDetail }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="mt-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-sm text-muted">Raw record</summary>
      <div className="mt-1">
        {isOpen && <Output label="JSON" text={exactText(JSON.stringify(record, null, 2))} isExact />}
      </div>
    </details>
  );
}
