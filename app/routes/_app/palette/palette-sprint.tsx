import { useNavigate, useSubmit } from "@remix-run/react";
import { useWriteAccess } from "~/ui/write-access";
import { productPath } from "../navigation";
import type { ShellData } from "../shell-data";
import { type PageAction, pressOnceThere } from "./page-actions";
import { Group, Item, lineWords } from "./palette-parts";

/** Actions on the active sprint, from any page. On the sprint's own page its buttons are listed already. */
export function SprintItems({
  shell,
  productId,
  actions,
  onClose,
}: {
  shell: ShellData;
  productId: string | undefined;
  actions: readonly PageAction[];
  onClose: () => void;
}) {
  const submit = useSubmit();
  const navigate = useNavigate();
  const { canWrite } = useWriteAccess();
  const { activeSprintId: sprint, activeProductId } = shell;
  const isHere = actions.some(({ label }) => label === "Complete sprint");
  if (!sprint || !productId || productId !== activeProductId || isHere || !canWrite) return null;
  const board = `${productPath(productId, "sprints")}/${sprint}`;
  const then = (act: () => void) => () => {
    onClose();
    act();
  };
  return (
    <Group heading="Active sprint">
      <Item
        value={lineWords("Start run", "sprint")}
        onSelect={then(() => submit({ intent: "start-run" }, { method: "post", action: board }))}
      >
        Start run
      </Item>
      <Item
        value={lineWords("Complete sprint")}
        onSelect={then(() => {
          pressOnceThere("Complete sprint");
          navigate(board);
        })}
      >
        Complete sprint…
      </Item>
      <Item value={lineWords("Open board", "sprint")} onSelect={then(() => navigate(board))}>
        Open board
      </Item>
    </Group>
  );
}
