/** What a tool wants to do, and the decision about it. */
import type { KeyboardEvent } from "react";
import { lazy, Suspense } from "react";
import type { Ask } from "waybill/client";
import { JsonDetails } from "../conversation/parts/json-details.tsx";
import { Button } from "../ui/button.tsx";
import { exactText } from "../ui/safe-text.ts";
import { AskActions } from "./ask-actions.tsx";
import type { AskDraft } from "./ask-draft.ts";
import { ExactBlock } from "./exact-block.tsx";
import { permissionRequest, takesAlways } from "./permission-request.ts";
import type { Answering } from "./use-answer.ts";

const Diff = lazy(() => import("../ui/diff.tsx"));

type PermissionBodyProps = {
  ask: Ask;
  draft: AskDraft;
  onDraft: (fields: Partial<AskDraft>) => void;
  answering: Answering;
};

export function PermissionBody({ ask, draft, onDraft, answering }: PermissionBodyProps) {
  const { shown, diff, path, other, always } = permissionRequest(ask);
  const { answer, isArmed, isPending } = answering;
  const idle = { "aria-disabled": !isArmed || isPending };
  return (
    <>
      {shown.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an ask does not change
        <ExactBlock key={index} {...one} isLabelled={shown.length > 1} />
      ))}
      {diff !== null && (
        <div className="max-h-64 overflow-auto rounded-md border border-line">
          <Suspense fallback={<p className="px-2 py-1 text-sm text-faint">Loading the diff…</p>}>
            <Diff diff={diff} path={path ?? ask.title} />
          </Suspense>
        </div>
      )}
      {other && (
        <details className="text-sm">
          <summary className="text-muted">Other input</summary>
          <JsonDetails value={other} />
        </details>
      )}
      <AskActions>
        <Button look="primary" keys="y" {...idle} onClick={() => answer({ decision: "once" })}>
          Allow once
        </Button>
        {takesAlways(ask) && (
          <Button keys="⇧y" {...idle} onClick={() => answer({ decision: "always" })}>
            Allow always
          </Button>
        )}
        <Button look="danger" keys="n" {...idle} onClick={() => answer({ decision: "reject" })}>
          Reject
        </Button>
        {draft.reason === null && (
          <Button look="quiet" onClick={() => onDraft({ reason: "" })}>
            Reject with a reason
          </Button>
        )}
        {isPending && <span className="text-sm text-muted">Telling the agent…</span>}
      </AskActions>
      {always.length > 0 && (
        <p className="text-sm text-muted">
          Always covers{" "}
          {always.map((pattern, index) => (
            <span key={pattern}>
              {index > 0 && ", "}
              <code className="font-mono text-xs wrap-anywhere text-ink">{exactText(pattern)}</code>
            </span>
          ))}
          .
        </p>
      )}
      {draft.reason !== null && (
        <Reason
          text={draft.reason}
          isDisabled={!isArmed || isPending}
          onChange={(reason) => onDraft({ reason })}
          onSend={(message) => answer({ decision: "reject", message })}
        />
      )}
    </>
  );
}

type ReasonProps = {
  text: string;
  isDisabled: boolean;
  /** Null: no reason after all. */
  onChange: (text: string | null) => void;
  onSend: (reason: string) => void;
};

function Reason({ text, isDisabled, onChange, onSend }: ReasonProps) {
  const reason = text.trim();
  const send = () => reason !== "" && onSend(reason);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onChange(null);
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div>
      <textarea
        rows={2}
        // biome-ignore lint/a11y/noAutofocus: the field was opened to write in it
        autoFocus
        aria-label="Reason for rejecting"
        placeholder="What should the agent do instead?"
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="block w-full resize-y rounded-md border border-line-strong bg-surface px-2 py-1.5 placeholder:text-faint"
      />
      <div className="mt-1.5 flex flex-wrap items-center gap-1.5">
        <Button look="danger" keys="⏎" aria-disabled={isDisabled || reason === ""} onClick={send}>
          Reject with this reason
        </Button>
        <Button look="quiet" onClick={() => onChange(null)}>
          Without a reason
        </Button>
        <span className="text-sm text-muted">The agent reads it and goes on.</span>
      </div>
    </div>
  );
}
