/** The map as a picture that the server draws: where there is no WebGL2. */

import { mapPicture } from "../api";
import { beside, hidden, plan, rectangle, theme, view } from "../store";
import type { Rectangle, Size } from "./view";

/** What is drawn, without its place and size. */
export function pictureQuery(): Record<string, string | number> {
  const other = beside(view.value.by, view.value.other);
  return {
    x: view.value.x, y: view.value.y, by: view.value.by, plan: plan.value?.id ?? "", theme: theme.value,
    ...(other ? { other } : {}), ...(hidden.value.size > 0 ? { hidden: [...hidden.value].join(",") } : {}),
  };
}

function asked(shown: Rectangle, size: Size): Record<string, string | number> {
  return { ...pictureQuery(), width: Math.round(size.width), height: Math.round(size.height), ...shown };
}

export function ServerPicture({ size }: { size: Size }) {
  if (!rectangle.value || !plan.value || size.width < 1) return null;
  return <img class="points" src={mapPicture(asked(rectangle.value, size))} alt="" draggable={false} />;
}
