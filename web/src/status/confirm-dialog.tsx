/** Asks before something that cannot be undone. Stays open and shows the error if it fails. */
import { useMutation } from "@tanstack/react-query";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/note.tsx";

type ConfirmDialogProps = {
  title: string;
  text: string;
  /** A verb. */
  action: string;
  run: () => Promise<unknown>;
  onClose: () => void;
};

export function ConfirmDialog({ title, text, action, run, onClose }: ConfirmDialogProps) {
  const confirmed = useMutation({ mutationFn: run, onSuccess: onClose });
  return (
    <Dialog title={title} description={text} open onClose={onClose}>
      {confirmed.error && (
        <div className="mb-3">
          <ErrorNote error={confirmed.error} />
        </div>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button look="danger" disabled={confirmed.isPending} onClick={() => confirmed.mutate()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
