import { useQuery } from "@tanstack/react-query";
import { readinessQuery, versionQuery } from "../live/queries.ts";
import { CodeWords } from "../ui/code-words.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import type { IconName } from "../ui/icon.tsx";
import { Icon } from "../ui/icon.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { RelativeTime } from "../ui/time.tsx";
import type { ReadinessState } from "./readiness-words.ts";
import { readinessState, readinessWords } from "./readiness-words.ts";
import { Section } from "./section.tsx";

const looks: Record<ReadinessState, { icon: IconName; tone: string; words: string }> = {
  ready: { icon: "check", tone: "text-good", words: "Ready" },
  degraded: { icon: "warning", tone: "text-wait", words: "Ready, with warnings" },
  not_ready: { icon: "cross", tone: "text-bad", words: "Not ready" },
};

export function ReadinessSection() {
  const { data: readiness, error } = useQuery(readinessQuery);
  const { data: version } = useQuery(versionQuery);
  return (
    <Section id="readiness" title="Readiness">
      {error && <ErrorNote error={error} />}
      {readiness && (
        <div aria-live="polite">
          <State state={readinessState(readiness)} />
          <ul className="mt-0.5 list-disc pl-9 text-muted">
            {readiness.reasons.map((reason) => (
              <li key={reason} title={reason}>
                <CodeWords text={readinessWords(reason)} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {version && (
        <p className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
          <span>Version {version.version}</span>
          <span>
            Started <RelativeTime at={version.startedAt} />
          </span>
          <span className="flex items-center gap-1">
            Run <span className="font-mono text-xs">{version.runId}</span>
            <CopyButton text={version.runId} label="Copy" />
          </span>
        </p>
      )}
    </Section>
  );
}

function State({ state }: { state: ReadinessState }) {
  const { icon, tone, words } = looks[state];
  return (
    <p data-readiness={state} className={`flex items-center gap-2 font-medium ${tone}`}>
      <Icon name={icon} /> {words}
    </p>
  );
}
