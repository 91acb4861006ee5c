/** The model of a lane: one that its program lists, or any other by name. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { runtimesQuery } from "../live/queries.ts";
import { Field, inputLook } from "./field.tsx";
import { chosenRuntime } from "./runtimes.ts";

type ModelFieldProps = {
  runtime: string | null;
  directory: string | null;
  value: string;
  onChange: (model: string) => void;
};

export function ModelField({ runtime, directory, value, onChange }: ModelFieldProps) {
  const { data: runtimes = [] } = useQuery({ ...runtimesQuery(directory), placeholderData: keepPreviousData });
  const list = useId();
  const models = chosenRuntime(runtimes, runtime)?.models ?? [];
  return (
    <Field label="Model" hint="Leave empty for the program's default.">
      {(props) => (
        <>
          <input
            {...props}
            list={list}
            className={inputLook}
            value={value}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
