import { CopyButton } from "../ui/copy-button.tsx";

/** Terminal commands, each with its purpose. */
export function Commands({ commands }: { commands: readonly { command: string; what: string }[] }) {
  return (
    <ul className="flex flex-col gap-1.5">
      {commands.map(({ command, what }) => (
        <li key={command} className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          <span className="inline-flex items-center gap-1 rounded-md border border-line bg-sunken py-0.5 pr-1 pl-2">
            <code className="font-mono text-sm">{command}</code>
            <CopyButton text={command} />
          </span>
          <span className="text-sm text-muted">{what}</span>
        </li>
      ))}
    </ul>
  );
}
