/** A sentence in which text between backticks is shown as code. */
export function CodeWords({ text }: { text: string }) {
  return text.split("`").map((part, index, parts) =>
    index % 2 === 1 && index < parts.length - 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their places
      <code key={index} className="rounded-sm bg-sunken px-1 font-mono text-[0.92em]">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
