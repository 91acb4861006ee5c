/** Agent programs: whether each can be used, and which processes run. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { RunningProgram, Runtime } from "waybill/client";
import { eventsWords, runtimeProblem } from "../lanes/runtimes.ts";
import { runtimesQuery } from "../live/queries.ts";
import { CodeWords } from "../ui/code-words.tsx";
import { Icon } from "../ui/icon.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { exactText, proseText } from "../ui/safe-text.ts";
import { RelativeTime } from "../ui/time.tsx";
import { countOf } from "./amounts.ts";
import type { Column } from "./section.tsx";
import { Cell, Nothing, Row, Section, Table } from "./section.tsx";

const columns: readonly Column[] = [
  { name: "Program", width: "w-[17%]" },
  { name: "State", width: "w-[24%]" },
  { name: "Running" },
  { name: "Models", width: "w-[20%]" },
];

export function RuntimesSection() {
  const { data: runtimes, error } = useQuery(runtimesQuery());
  return (
    <Section id="runtimes" title="Runtimes and programs">
      {error && <ErrorNote error={error} />}
      {runtimes?.length === 0 && <Nothing>No runtimes are set up.</Nothing>}
      {runtimes && runtimes.length > 0 && (
        <Table name="Runtimes and programs" columns={columns}>
          {runtimes.map((runtime) => (
            <RuntimeRow key={runtime.kind} runtime={runtime} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function RuntimeRow({ runtime }: { runtime: Runtime }) {
  const { kind, isDefault, models, programs } = runtime;
  const problem = runtimeProblem(runtime);
  return (
    <Row>
      <Cell>
        <span className="font-medium">{kind}</span>
        {isDefault && <span className="ml-2 text-sm text-faint">default</span>}
      </Cell>
      <Cell label="State">
        {problem === null ? (
          <span className="flex items-center gap-1.5 text-good">
            <Icon name="check" className="size-3.5" /> ready
          </span>
        ) : (
          <span className="flex items-start gap-1.5 text-bad">
            <Icon name="cross" className="mt-0.5 size-3.5" />
            <span>
              <CodeWords text={proseText(problem)} />
            </span>
          </span>
        )}
      </Cell>
      <Cell label="Running">
        {programs.length === 0 && <span className="text-faint">nothing</span>}
        {programs.map((program) => (
          <Program key={`${program.pid} ${program.lane} ${program.sessionId}`} program={program} />
        ))}
      </Cell>
      <Cell label="Models">
        <Models models={models} />
      </Cell>
    </Row>
  );
}

function Program({ program }: { program: RunningProgram }) {
  const { lane, pid, version, startedAt, restarts, events, directory } = program;
  return (
    <p className="flex flex-wrap items-baseline gap-x-2" title={directory ?? undefined}>
      {lane === null ? (
        <span>server</span>
      ) : (
        <Link to="/lanes/$lane" params={{ lane }} className="hover:underline">
          {lane}
        </Link>
      )}
      {version !== null && <span className="text-muted">{exactText(version)}</span>}
      {pid !== null && <span className="font-mono text-xs text-muted">pid {pid}</span>}
      {startedAt !== null && (
        <span className="text-sm text-muted">
          started <RelativeTime at={startedAt} />
        </span>
      )}
      {restarts > 0 && <span className="text-sm text-wait">{countOf(restarts, "restart")}</span>}
      <span className={`text-sm ${events === "connected" ? "text-muted" : "text-wait"}`}>{eventsWords(events)}</span>
    </p>
  );
}

function Models({ models }: { models: readonly string[] }) {
  if (models.length === 0) return <span className="text-faint">its own</span>;
  if (models.length === 1) return <span className="block truncate">{proseText(models[0] ?? "")}</span>;
  return (
    <details>
      <summary className="w-fit">{countOf(models.length, "model")}</summary>
      <ul className="max-h-40 overflow-y-auto text-sm text-muted" tabIndex={0}>
        {models.map((model) => (
          <li key={model} className="truncate">
            {proseText(model)}
          </li>
        ))}
      </ul>
    </details>
  );
}
