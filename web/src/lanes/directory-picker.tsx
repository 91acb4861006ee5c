/** Chooses a directory inside the allowed ones: the open directory is the chosen one. */
import { useQuery } from "@tanstack/react-query";
import type { KeyboardEvent } from "react";
import { useEffect, useRef, useState } from "react";
import type { DirectoryList } from "waybill/client";
import { directoriesQuery } from "../live/queries.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { exactText } from "../ui/safe-text.ts";
import { crumbsOf, stepOf } from "./directory-steps.ts";

type DirectoryPickerProps = { value: string | null; onChange: (directory: string | null) => void };

export function DirectoryPicker({ value, onChange }: DirectoryPickerProps) {
  const { data: list, error, isFetching } = useQuery(directoriesQuery(value));
  const resolved = list?.path ?? null;
  // A typed path may contain links, or start at the home directory.
  useEffect(() => {
    if (resolved !== null && resolved !== value) onChange(resolved);
  }, [resolved, value, onChange]);
  return (
    <div className="overflow-hidden rounded-md border border-line-strong">
      <Crumbs path={value} roots={list?.roots ?? []} onGo={onChange} />
      {error ? (
        <div className="min-h-44 p-2">
          <ErrorNote error={error} />
        </div>
      ) : (
        <Rows key={value} list={list} isLoading={isFetching} onGo={onChange} />
      )}
      <TypedPath onGo={onChange} />
    </div>
  );
}

function Crumbs({
  path,
  roots,
  onGo,
}: {
  path: string | null;
  roots: readonly string[];
  onGo: (path: string | null) => void;
}) {
  const crumbs = path === null ? [] : crumbsOf(path, roots);
  const look =
    "max-w-64 truncate rounded-sm px-1 font-mono text-xs leading-5 hover:bg-hover disabled:hover:bg-transparent";
  return (
    <nav
      aria-label="Path to the directory"
      className="flex min-h-8 flex-wrap items-center border-b border-line bg-sunken px-1.5"
    >
      <button
        type="button"
        className="flex items-center gap-1 rounded-sm px-1 text-sm text-muted hover:bg-hover disabled:hover:bg-transparent"
        disabled={path === null}
        onClick={() => onGo(null)}
      >
        <Icon name="folder" className="size-3.5" /> Allowed directories
      </button>
      {crumbs.map((crumb, index) => (
        <span key={crumb.path} className="flex min-w-0 items-center">
          <Icon name="chevron" className="size-3 text-faint" />
          <button
            type="button"
            title={crumb.path}
            aria-current={index === crumbs.length - 1 ? "location" : undefined}
            disabled={index === crumbs.length - 1}
            className={look}
            onClick={() => onGo(crumb.path)}
          >
            {exactText(crumb.name)}
          </button>
        </span>
      ))}
    </nav>
  );
}

type RowsProps = {
  list: DirectoryList | undefined;
  isLoading: boolean;
  onGo: (path: string | null) => void;
};

function Rows({ list, isLoading, onGo }: RowsProps) {
  const box = useRef<HTMLUListElement>(null);
  const isShown = list !== undefined;
  // Keeps keyboard navigation going after a directory is opened.
  useEffect(() => {
    if (!isShown) return;
    const first = box.current?.querySelector("button");
    (first ?? box.current)?.focus();
  }, [isShown]);
  const entries = list?.directories ?? [];
  const isTop = list?.path === null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const buttons = [...(box.current?.querySelectorAll("button") ?? [])];
    const index = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const step = stepOf(
      event.key,
      entries.map(({ name }) => name),
      index,
    );
    if (step === null) return;
    event.preventDefault();
    if (step.to === "row") buttons[step.index]?.focus();
    else if (step.to === "open") buttons[index]?.click();
    else if (!isTop) onGo(list?.parent ?? null);
  };
  return (
    <ul
      ref={box}
      aria-label="Subdirectories"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="h-44 overflow-y-auto p-1 outline-none"
    >
      {entries.map(({ name, path, isRepository }, index) => (
        <li key={path}>
          <button
            type="button"
            tabIndex={index === 0 ? 0 : -1}
            className="flex h-7 w-full items-center gap-2 rounded-sm px-2 text-left hover:bg-hover"
            onClick={() => onGo(path)}
          >
            <Icon name="folder" className={`size-3.5 ${isRepository ? "text-accent" : "text-faint"}`} />
            <span className="min-w-0 grow truncate">{exactText(isTop ? path : name)}</span>
            {isRepository && <span className="text-sm text-accent">repository</span>}
          </button>
        </li>
      ))}
      {entries.length === 0 && (
        <li className="px-2 py-1 text-muted">
          {isLoading && !list ? "Reading…" : isTop ? noRoots : "No subdirectories."}
        </li>
      )}
      {list?.truncated && <li className="px-2 py-1 text-sm text-muted">Only the first {entries.length} are listed.</li>}
    </ul>
  );
}

const noRoots = "No directory is allowed. Add some to allowedDirectories in the configuration, and restart Waybill.";

function TypedPath({ onGo }: { onGo: (path: string) => void }) {
  const [path, setPath] = useState("");
  const open = () => {
    if (path.trim() === "") return;
    onGo(path.trim());
    setPath("");
  };
  return (
    <div className="flex items-center gap-1 border-t border-line p-1">
      <input
        aria-label="Path of a directory"
        placeholder="Or type a path"
        spellCheck={false}
        autoComplete="off"
        className="h-7 min-w-0 grow rounded-sm bg-transparent px-2 font-mono text-xs placeholder:font-sans placeholder:text-base placeholder:text-faint"
        value={path}
        onChange={(event) => setPath(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || path.trim() === "") return;
          // Not the surrounding form.
          event.preventDefault();
          open();
        }}
      />
      <Button look="quiet" disabled={path.trim() === ""} onClick={open}>
        Open
      </Button>
    </div>
  );
}
