/** The agent programs for a lane. One that is not ready says why, and can still be chosen. */
import { useQuery } from "@tanstack/react-query";
import type { Runtime } from "waybill/client";
import { runtimesQuery } from "../live/queries.ts";
import { CodeWords } from "../ui/code-words.tsx";
import { Icon } from "../ui/icon.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { proseText } from "../ui/safe-text.ts";
import { chosenRuntime, runtimeProblem } from "./runtimes.ts";

export function RuntimeChoice({ value, onChange }: { value: string | null; onChange: (runtime: string) => void }) {
  const { data: runtimes = [], error } = useQuery(runtimesQuery());
  const chosen = chosenRuntime(runtimes, value)?.kind;
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Agent program</legend>
      {error && <ErrorNote error={error} />}
      <div className="grid gap-x-4 sm:grid-cols-2">
        {runtimes.map((runtime) => (
          <RuntimeOption
            key={runtime.kind}
            runtime={runtime}
            isChosen={runtime.kind === chosen}
            onChoose={() => onChange(runtime.kind)}
          />
        ))}
      </div>
    </fieldset>
  );
}

type RuntimeOptionProps = { runtime: Runtime; isChosen: boolean; onChoose: () => void };

function RuntimeOption({ runtime, isChosen, onChoose }: RuntimeOptionProps) {
  const problem = runtimeProblem(runtime);
  return (
    <label className="flex min-h-7 items-baseline gap-2">
      <input
        type="radio"
        name="runtime"
        className="translate-y-0.5 accent-accent"
        checked={isChosen}
        onChange={onChoose}
      />
      <span className="min-w-0">
        {runtime.kind}
        {runtime.isDefault && <span className="ml-1.5 text-sm text-faint">default</span>}
        {problem !== null && (
          <span className="flex items-start gap-1 text-sm text-wait">
            <Icon name="warning" className="mt-0.5 size-3.5" />
            <span>
              <CodeWords text={proseText(problem)} />
            </span>
          </span>
        )}
      </span>
    </label>
  );
}
