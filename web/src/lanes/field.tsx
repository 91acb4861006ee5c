/** A labelled input with a hint or an error. */
import type { ReactNode } from "react";
import { useId } from "react";

export const inputLook =
  "h-7 w-full rounded-md border border-line-strong bg-surface px-2 placeholder:text-faint aria-invalid:border-bad";

type FieldProps = {
  label: string;
  hint?: string | null | undefined;
  problem?: string | undefined;
  children: (props: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ReactNode;
};

export function Field({ label, hint = null, problem, children }: FieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": `${id}-hint`, "aria-invalid": problem !== undefined })}
      <div id={`${id}-hint`} className="mt-0.5 min-h-4.5 text-sm text-muted">
        {problem ? <Problem>{problem}</Problem> : hint}
      </div>
    </div>
  );
}

export function Problem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="text-sm text-bad">
      {children}
    </p>
  );
}
