/** The message box: recipient, intent, tasks, files, and the stop button. */
import { useIsMutating, useMutation, useQuery } from "@tanstack/react-query";
import type { ChangeEvent, ClipboardEvent, KeyboardEvent } from "react";
import { useLayoutEffect, useRef, useState } from "react";
import { client } from "../live/client.ts";
import { addressOf, memberConversation } from "../live/conversation-id.ts";
import { lanesQuery, teamsQuery } from "../live/queries.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { errorWords, Note } from "../ui/note.tsx";
import { sizeWords } from "./attachment-list.tsx";
import type { Draft, Intent } from "./drafts.ts";
import { afterSending, changed, messageOf, readDraft, withMessageId, writeDraft } from "./drafts.ts";

const intents: readonly { value: Intent; name: string; what: string }[] = [
  { value: "any", name: "No intent", what: "Any answer counts" },
  { value: "ask", name: "Ask", what: "You want an answer" },
  { value: "do", name: "Do", what: "You want work done" },
  { value: "delegate", name: "Delegate", what: "You want an answer, or work by anyone" },
  { value: "notify", name: "Notify", what: "No answer needed" },
];

type ComposerProps = { conversation: string; name: string; isWorking: boolean; suggestions?: readonly string[] };

export function Composer({ conversation, name, isWorking, suggestions = [] }: ComposerProps) {
  const [draft, setDraft] = useState<Draft>(() => readDraft(conversation));
  const [recipient, setRecipient] = useState(conversation);
  const box = useRef<HTMLTextAreaElement>(null);
  /** As it is now: a request that ends may have begun with an older one. */
  const latest = useRef(draft);
  const keep = (next: Draft) => {
    latest.current = next;
    setDraft(next);
    writeDraft(conversation, next);
  };
  const change = (fields: Partial<Draft>) => keep(changed(latest.current, fields));
  const send = useMutation({
    mutationFn: async (text: string) => {
      const whole = withMessageId(latest.current, text);
      // Stored first: repeated after a lost response, it is still one message.
      keep(whole);
      await client.send(messageOf(whole, addressOf(recipient)));
      return whole;
    },
    onSuccess: (sent) => {
      keep(afterSending(latest.current, sent));
      setRecipient(conversation);
    },
  });
  const mutationKey = ["attach", conversation];
  const attach = useMutation({
    mutationKey,
    mutationFn: (files: readonly File[]) => Promise.all(files.map((file) => client.attach(file, { name: file.name }))),
    onSuccess: (added) => change({ attachments: [...latest.current.attachments, ...added] }),
  });
  // Files may be pasted or dropped while others are uploaded.
  const isUploading = useIsMutating({ mutationKey }) > 0;
  const stop = useMutation({ mutationFn: () => client.abortLane(conversation) });
  const canSend = (draft.text.trim() !== "" || draft.attachments.length > 0) && !send.isPending && !isUploading;
  const submit = () => canSend && send.mutate(draft.text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows its text
  useLayoutEffect(() => {
    if (!box.current) return;
    box.current.style.height = "auto";
    box.current.style.height = `${Math.min(box.current.scrollHeight + 2, 240)}px`;
  }, [draft.text]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") box.current?.blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    attach.mutate(files);
  };
  const error = send.error ?? attach.error ?? stop.error;
  return (
    <form
      aria-label="Write a message"
      className="border-t border-line bg-surface px-4 pt-2 pb-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (event.dataTransfer.files.length > 0) attach.mutate([...event.dataTransfer.files]);
      }}
    >
      {suggestions.length > 0 && draft.text === "" && (
        <div className="mb-2 flex flex-wrap items-center gap-1.5" role="group" aria-label="Try one of these">
          {suggestions.map((words) => (
            <Button key={words} disabled={send.isPending} onClick={() => send.mutate(words)}>
              {words}
            </Button>
          ))}
        </div>
      )}
      {error && (
        <div className="mb-2">
          <Note tone="bad">
            {errorWords(error)} {send.error && "Your text is kept here, so you can send it again."}
          </Note>
        </div>
      )}
      <div className="rounded-lg border border-line-strong bg-surface focus-within:border-accent">
        <textarea
          ref={box}
          data-composer
          rows={1}
          aria-label={`Message to ${name}`}
          placeholder={`Message to ${name}`}
          value={draft.text}
          onChange={(event) => change({ text: event.target.value })}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="block w-full resize-none bg-transparent px-3 py-2 outline-none placeholder:text-faint"
        />
        <AttachedFiles
          draft={draft}
          onRemove={(id) => change({ attachments: draft.attachments.filter((one) => one.id !== id) })}
        />
        <div className="flex flex-wrap items-center gap-1.5 px-2 pb-2">
          <Recipient value={recipient} own={conversation} onChange={setRecipient} />
          <select
            aria-label="Intent"
            title={intents.find(({ value }) => value === draft.intent)?.what}
            value={draft.intent}
            onChange={(event: ChangeEvent<HTMLSelectElement>) => change({ intent: event.target.value as Intent })}
            className={selectLook}
          >
            {intents.map((intent) => (
              <option key={intent.value} value={intent.value}>
                {intent.name}
              </option>
            ))}
          </select>
          <input
            aria-label="Task ids"
            placeholder="Tasks"
            value={draft.tasks}
            onChange={(event) => change({ tasks: event.target.value })}
            className="h-7 w-20 rounded-md border border-transparent bg-transparent px-1.5 text-sm placeholder:text-faint hover:bg-hover focus:w-36"
          />
          <FileButton isBusy={isUploading} onChoose={(files) => attach.mutate(files)} />
          <div className="ml-auto flex items-center gap-1.5">
            {isWorking && (
              <Button look="danger" icon="stop" disabled={stop.isPending} onClick={() => stop.mutate()}>
                Stop
              </Button>
            )}
            <Button type="submit" look="primary" icon="send" disabled={!canSend}>
              {send.isPending ? "Sending…" : "Send"}
            </Button>
          </div>
        </div>
      </div>
    </form>
  );
}

const selectLook =
  "h-7 max-w-40 rounded-md border border-transparent bg-transparent px-1 text-sm text-muted hover:bg-hover";

function Recipient({ value, own, onChange }: { value: string; own: string; onChange: (recipient: string) => void }) {
  const { data: lanes = [] } = useQuery(lanesQuery);
  const { data: teams = [] } = useQuery(teamsQuery);
  const members = teams.flatMap(({ name, members }) =>
    members
      .filter(({ kind }) => kind === "native")
      .map((member) => ({
        id: memberConversation({ team: name, name: member.name }),
        name: `${member.displayName ?? member.name} (${name})`,
      })),
  );
  const all = [...lanes.map(({ id, displayName }) => ({ id, name: displayName ?? id })), ...members];
  const choices = all.some(({ id }) => id === own) ? all : [{ id: own, name: own }, ...all];
  return (
    <select
      aria-label="Recipient"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={selectLook}
    >
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          To {name}
        </option>
      ))}
    </select>
  );
}

function FileButton({ isBusy, onChoose }: { isBusy: boolean; onChoose: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon="paperclip"
        label={isBusy ? "Uploading…" : "Attach files"}
        disabled={isBusy}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          onChoose([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}

function AttachedFiles({ draft, onRemove }: { draft: Draft; onRemove: (id: string) => void }) {
  if (draft.attachments.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-1.5 px-3 pb-2" aria-label="Attached files">
      {draft.attachments.map(({ id, name, size }) => (
        <li key={id} className="inline-flex items-center gap-1 rounded-md bg-sunken pl-2 text-sm">
          {name} <span className="text-faint">{sizeWords(size)}</span>
          <IconButton icon="close" label={`Remove ${name}`} onClick={() => onRemove(id)} />
        </li>
      ))}
    </ul>
  );
}
