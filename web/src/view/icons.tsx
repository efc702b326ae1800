// Line icons on a 20 × 20 grid, drawn in the text's colour; hidden from screen readers, whose words stand
// beside them.

import type { ComponentChildren } from 'preact';

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export const IconMenu = () => (
  <Icon>
    <path d="M3.5 6h13M3.5 10h13M3.5 14h9" />
  </Icon>
);
export const IconClose = () => (
  <Icon>
    <path d="M5 5l10 10M15 5L5 15" />
  </Icon>
);
export const IconPlus = () => (
  <Icon>
    <path d="M10 4v12M4 10h12" />
  </Icon>
);
export const IconSend = () => (
  <Icon>
    <path d="M10 16V4.5M5 9.5l5-5 5 5" />
  </Icon>
);
export const IconDown = () => (
  <Icon>
    <path d="M10 4v11.5M5 10.5l5 5 5-5" />
  </Icon>
);
export const IconCheck = () => (
  <Icon>
    <path d="M4 10.5l4 4 8-9" />
  </Icon>
);
export const IconCopy = () => (
  <Icon>
    <rect x="7" y="7" width="9.5" height="9.5" rx="2" />
    <path d="M13 7V5.5a2 2 0 0 0-2-2H5.5a2 2 0 0 0-2 2V11a2 2 0 0 0 2 2H7" />
  </Icon>
);
export const IconAgain = () => (
  <Icon>
    <path d="M15.8 8.3A6 6 0 1 0 16 11.2M16 4v4.3h-4.3" />
  </Icon>
);
export const IconEdit = () => (
  <Icon>
    <path d="M4 16l.8-3.6L13 4.2l2.8 2.8-8.2 8.2zM11.5 5.7l2.8 2.8" />
  </Icon>
);
export const IconTrash = () => (
  <Icon>
    <path d="M4 6h12M8 6V4.5h4V6M5.5 6l.7 9.5h7.6l.7-9.5M8.5 9v4M11.5 9v4" />
  </Icon>
);
export const IconStop = () => (
  <svg class="icon solid" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    <rect x="5.5" y="5.5" width="9" height="9" rx="2" />
  </svg>
);

/** The mark: three breaths of warmth over a floor. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="mark-ground" width="32" height="32" rx="9" />
      <g class="mark-warmth">
        <path d="M10 16c-2-2.2 2-4 0-6.4" />
        <path d="M16 16c-2-2.2 2-4 0-6.4" />
        <path d="M22 16c-2-2.2 2-4 0-6.4" />
      </g>
      <path class="mark-floor" d="M6.5 20.2h19M6.5 24.6h19" />
    </svg>
  );
}

/** A heated floor in section: warm stones, the flue's glow under them, warmth above. */
export function FloorPicture() {
  return (
    <svg class="floor" viewBox="0 0 240 96" aria-hidden="true" focusable="false">
      <g class="floor-warmth">
        <path d="M72 40c-7-8 7-14 0-24" />
        <path d="M104 36c-7-8 7-14 0-24" />
        <path d="M136 36c-7-8 7-14 0-24" />
        <path d="M168 40c-7-8 7-14 0-24" />
      </g>
      <rect class="floor-paper" x="24" y="48" width="192" height="8" rx="4" />
      <g class="floor-stones">
        <rect x="30" y="60" width="40" height="12" rx="5" />
        <rect x="75" y="60" width="52" height="12" rx="5" />
        <rect x="132" y="60" width="34" height="12" rx="5" />
        <rect x="171" y="60" width="39" height="12" rx="5" />
      </g>
      <path class="floor-glow" d="M34 82h172" />
    </svg>
  );
}
