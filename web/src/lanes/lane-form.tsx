/** The form for a new lane. An error from the daemon loses no input. */
import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useEffect, useRef, useState } from "react";
import type { NewLane } from "waybill/client";
import { lanesQuery } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { exactText } from "../ui/safe-text.ts";
import { DirectoryPicker } from "./directory-picker.tsx";
import { Field, inputLook, Problem } from "./field.tsx";
import type { LaneDraft } from "./lane-draft.ts";
import { idOf, nameOf, newLaneOf, problemsOf } from "./lane-draft.ts";
import { ModelField } from "./model-field.tsx";
import { RuntimeChoice } from "./runtime-choice.tsx";

type LaneFormProps = {
  draft: LaneDraft;
  onChange: (draft: LaneDraft) => void;
  isMaking: boolean;
  error: unknown;
  onMake: (lane: NewLane) => void;
  onClose: () => void;
};

export function LaneForm({ draft, onChange, isMaking, error, onMake, onClose }: LaneFormProps) {
  const { data: lanes = [] } = useQuery(lanesQuery);
  const [isChecked, setChecked] = useState(false);
  const taken = new Set(lanes.map(({ id }) => id));
  const problems = problemsOf(draft, taken);
  const hasProblems = Object.keys(problems).length > 0;
  const change = (fields: Partial<LaneDraft>) => onChange({ ...draft, ...fields });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!hasProblems && !isMaking) onMake(newLaneOf(draft, taken));
  };
  const id = idOf(draft, taken);
  const end = useRef<HTMLDivElement>(null);
  // An error may make the form longer than the dialog, and must be visible.
  useEffect(() => {
    if (error !== null) end.current?.scrollIntoView({ block: "nearest" });
  }, [error]);
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <div>
        <p className="mb-1 flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">Directory</span>
          <span className="text-sm text-muted">
            {draft.directory === null
              ? "Open the directory for the agent to work in."
              : "The agent will work in the open directory."}
          </span>
        </p>
        <DirectoryPicker value={draft.directory} onChange={(directory) => change({ directory })} />
        {isChecked && problems.directory && <Problem>{problems.directory}</Problem>}
      </div>
      <RuntimeChoice value={draft.runtime} onChange={(runtime) => change({ runtime })} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name" hint={draft.directory === null ? null : `Its id is ${id}.`} problem={problems.id}>
          {(props) => (
            <input
              {...props}
              className={inputLook}
              value={nameOf(draft)}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <ModelField
          directory={draft.directory}
          runtime={draft.runtime}
          value={draft.model}
          onChange={(model) => change({ model })}
        />
      </div>
      <More draft={draft} id={id} onChange={change} />
      {error !== null && (
        <div>
          <ErrorNote error={error} />
        </div>
      )}
      <div ref={end} className="flex items-center justify-end gap-2">
        <p className="min-w-0 grow truncate font-mono text-xs text-faint" title={draft.directory ?? undefined}>
          {draft.directory === null ? "" : exactText(draft.directory)}
        </p>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isMaking}>
          {isMaking ? "Creating…" : "Create lane"}
        </Button>
      </div>
    </form>
  );
}

function More({
  draft,
  id,
  onChange,
}: {
  draft: LaneDraft;
  id: string;
  onChange: (fields: Partial<LaneDraft>) => void;
}) {
  return (
    <details className="group">
      <summary className="w-fit rounded-sm text-muted hover:text-ink">More</summary>
      <div className="mt-2 grid gap-4 sm:grid-cols-2">
        <Field label="Id" hint="The lane's name for programs and the command line.">
          {(props) => (
            <input
              {...props}
              className={`${inputLook} font-mono text-sm`}
              value={id}
              onChange={(event) => onChange({ id: event.target.value === "" ? null : event.target.value })}
            />
          )}
        </Field>
        <Field label="Agent" hint="For programs with several agents. Leave empty for the default.">
          {(props) => (
            <input
              {...props}
              className={inputLook}
              value={draft.agent}
              onChange={(event) => onChange({ agent: event.target.value })}
            />
          )}
        </Field>
        <fieldset className="sm:col-span-2">
          <legend className="mb-1 font-medium">What counts as a reply</legend>
          {contracts.map(({ value, name, what }) => (
            <label key={value} className="flex min-h-7 items-baseline gap-2">
              <input
                type="radio"
                name="contract"
                className="translate-y-0.5 accent-accent"
                checked={draft.contract === value}
                onChange={() => onChange({ contract: value })}
              />
              <span>
                {name} <span className="text-sm text-muted">{what}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </div>
    </details>
  );
}

const contracts = [
  { value: "text", name: "Its final text", what: "as in a chat with a person" },
  { value: "tool", name: "A message sent with a tool", what: "as between agents of a team" },
] as const;
