/** A tenth of a unit is finer than anybody sees, and short to send. */
export const round = (value: number) => Math.round(value * 10) / 10;

/** Words in a picture, larger where the picture is drawn small. They are not escaped: only what the service itself says goes there, never what somebody wrote. */
export function words(x: number, y: number, text: string, anchor = "start"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" class="fill-muted text-2xs @max-md:text-lg">${text}</text>`;
}
