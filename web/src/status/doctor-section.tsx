/** Runs the doctor on request, and shows its findings. */
import { useMutation } from "@tanstack/react-query";
import type { DoctorCheck } from "waybill/client";
import { client } from "../live/client.ts";
import { Button } from "../ui/button.tsx";
import { CodeWords } from "../ui/code-words.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import type { IconName } from "../ui/icon.tsx";
import { Icon } from "../ui/icon.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { terminalText } from "../ui/safe-text.ts";
import { ClockTime, Elapsed } from "../ui/time.tsx";
import type { CheckGroup } from "./doctor-report.ts";
import { checkGroups, reportText, verdict } from "./doctor-report.ts";
import { Nothing, Section } from "./section.tsx";

export function DoctorSection() {
  const doctor = useMutation({
    mutationFn: async () => ({ checks: (await client.doctor()).checks, at: Date.now() }),
  });
  const { data: found, isPending, submittedAt, error } = doctor;
  return (
    <Section
      id="doctor"
      title="Doctor"
      note={found && !isPending && <Verdict checks={found.checks} at={found.at} />}
      actions={
        <>
          {found && !isPending && <CopyButton text={reportText(found.checks)} label="Copy report" />}
          <Button icon="pulse" disabled={isPending} onClick={() => doctor.mutate()}>
            {found ? "Check again" : "Run checks"}
          </Button>
        </>
      }
    >
      <div aria-live="polite">
        {isPending && (
          <p className="flex items-center gap-2 py-1 text-busy">
            <span className="size-2 animate-pulse rounded-full bg-busy" aria-hidden="true" />
            Checking programs, directories, store and network. <Elapsed since={submittedAt} />
          </p>
        )}
        {error && !isPending && <ErrorNote error={error} />}
      </div>
      {!found && !isPending && !error && (
        <Nothing>
          <CodeWords text="Checks what Waybill needs, as `waybill doctor` does. It takes a few seconds and changes nothing." />
        </Nothing>
      )}
      {found && !isPending && checkGroups(found.checks).map((group) => <Group key={group.status} group={group} />)}
    </Section>
  );
}

function Verdict({ checks, at }: { checks: readonly DoctorCheck[]; at: number }) {
  return (
    <>
      {verdict(checks)} Checked at <ClockTime at={at} />.
    </>
  );
}

const looks: Record<DoctorCheck["status"], { icon: IconName; tone: string }> = {
  failed: { icon: "cross", tone: "text-bad" },
  warning: { icon: "warning", tone: "text-wait" },
  ok: { icon: "check", tone: "text-good" },
};

function Group({ group: { status, title, checks } }: { group: CheckGroup }) {
  const { icon, tone } = looks[status];
  return (
    <div className="mt-1">
      <h3 className={`flex h-7 items-center gap-2 font-medium ${tone}`}>
        {title} <span className="text-sm font-normal text-muted">{checks.length}</span>
      </h3>
      <ul>
        {checks.map((check) => (
          <li
            key={`${check.name} ${check.detail}`}
            className="grid grid-cols-[1rem_1fr] gap-x-2 border-b border-line py-1 last:border-b-0 @3xl:grid-cols-[1rem_9rem_1fr]"
          >
            <span className={`mt-0.5 ${tone}`}>
              <Icon name={icon} className="size-3.5" />
            </span>
            <span className="font-medium">{check.name}</span>
            <div className="@max-3xl:col-start-2">
              <p className="wrap-anywhere text-muted">
                <CodeWords text={terminalText(check.detail)} />
              </p>
              {check.fix !== undefined && (
                <p className="wrap-anywhere whitespace-pre-line">
                  <CodeWords text={terminalText(check.fix)} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
