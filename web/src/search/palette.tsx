/** The command palette: finds a lane, an action or a search by a few letters, with the keyboard alone. */
import * as Radix from "@radix-ui/react-dialog";
import type { KeyboardEvent } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { Kbd } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ErrorNote } from "../ui/note.tsx";
import { StateDot } from "../ui/state-dot.tsx";
import type { PaletteItem } from "./palette-items.ts";
import { usePaletteGroups } from "./use-palette-groups.ts";

export default function Palette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  /** What takes the focus once the palette is closed; null for the previously focused element. */
  const focusNext = useRef<(() => void) | null>(null);
  const listId = useId();
  const groups = usePaletteGroups(typed);
  const items = groups.flatMap((group) => group.items);
  const active = Math.min(chosen, items.length - 1);
  const optionId = (index: number) => `${listId}-${index}`;

  const run = async (item: PaletteItem | undefined) => {
    if (!item || isRunning) return;
    setError(null);
    setRunning(true);
    try {
      focusNext.current = item.focusNext ?? null;
      await item.run();
      if (!item.opensDialog) onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") setChosen((active + 1) % Math.max(1, items.length));
    else if (event.key === "ArrowUp") setChosen((active - 1 + items.length) % Math.max(1, items.length));
    else if (event.key === "Enter") void run(items[active]);
    else return;
    event.preventDefault();
  };
  let index = -1;
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[rgb(0_0_0/35%)]" />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            if (!focusNext.current) return;
            event.preventDefault();
            focusNext.current();
          }}
          className="fixed top-[10dvh] left-1/2 z-50 flex max-h-[70dvh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-raised"
        >
          <Radix.Title className="sr-only">Search and commands</Radix.Title>
          <div className="flex items-center gap-2 border-b border-line px-3">
            <Icon name="search" className="size-4 text-muted" />
            <input
              role="combobox"
              aria-label="Search and commands"
              aria-expanded={items.length > 0}
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={items.length > 0 ? optionId(active) : undefined}
              autoComplete="off"
              spellCheck={false}
              placeholder="Go to a lane, run a command, or search"
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setChosen(0);
              }}
              onKeyDown={onKeyDown}
              className="h-10 min-w-0 grow bg-transparent text-lg outline-none placeholder:text-base placeholder:text-faint"
            />
            <Kbd>Esc</Kbd>
          </div>
          <p role="status" className="sr-only">
            {items.length === 1 ? "1 result" : `${items.length} results`}
          </p>
          {error !== null && (
            <div className="p-2">
              <ErrorNote error={error} />
            </div>
          )}
          <div id={listId} role="listbox" aria-label="Results" className="min-h-0 overflow-y-auto p-1">
            {groups.map(({ title, items: own }) => (
              <div key={title} role="group" aria-label={title}>
                <div aria-hidden="true" className="px-2 pt-1.5 pb-0.5 text-sm text-faint">
                  {title}
                </div>
                {own.map((item) => {
                  index += 1;
                  const place = index;
                  return (
                    <Option
                      key={item.key}
                      id={optionId(place)}
                      item={item}
                      isActive={place === active}
                      onPoint={() => setChosen(place)}
                      onChoose={() => void run(item)}
                    />
                  );
                })}
              </div>
            ))}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type OptionProps = { id: string; item: PaletteItem; isActive: boolean; onPoint: () => void; onChoose: () => void };

/** The focus stays in the field; the keys are handled there. */
function Option({ id, item, isActive, onPoint, onChoose }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isActive}
      onPointerMove={isActive ? undefined : onPoint}
      onClick={onChoose}
      className={`flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 ${isActive ? "bg-selected" : ""}`}
    >
      {"dot" in item.sign ? (
        <span className="flex w-4 justify-center">
          <StateDot state={item.sign.dot} />
        </span>
      ) : (
        <Icon name={item.sign.icon} className="size-4 text-muted" />
      )}
      <span className="min-w-0 truncate">{item.label}</span>
      {item.hint && <span className="ml-auto shrink-0 truncate pl-2 text-sm text-faint">{item.hint}</span>}
      {item.keys && (
        <span className={item.hint ? "" : "ml-auto"}>
          <Kbd>{item.keys}</Kbd>
        </span>
      )}
    </div>
  );
}
