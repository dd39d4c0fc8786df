import type { ComponentChildren } from "preact";

/** Icons are decorative: a text or a labeled button is always next to them. */
const icon = (children: ComponentChildren) => () => (
  <svg
    class="icon"
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
);

export const ChartIcon = icon(<path d="M2 13.5h12M4 11V7m4 4V3m4 8V5.5" />);
export const PulseIcon = icon(<path d="M1.500 8.500h3l2-5.500 3 10 2-4.500h3" />);
export const DeltaIcon = icon(
  <path d="M5 13V3m0 0L2.500 5.500M5 3l2.500 2.500M11 3v10m0 0-2.500-2.500M11 13l2.500-2.500" />,
);
export const SearchIcon = icon(
  <path d="M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9m3.300-1.200 3.200 3.200" />,
);
export const BoxIcon = icon(
  <path d="M2.500 5 8 2l5.500 3v6L8 14l-5.500-3zM2.500 5 8 8l5.500-3M8 8v6" />,
);
export const ListIcon = icon(<path d="M2.5 4h.01M2.5 8h.01M2.5 12h.01M6 4h8M6 8h8M6 12h8" />);
export const WebhookIcon = icon(<path d="M9 1.5 3 9h4.5L7 14.5 13 7H8.500z" />);
export const CloudIcon = icon(
  <path d="M4.500 12.500a3 3 0 0 1-.3-6 4 4 0 0 1 7.600.7 2.700 2.700 0 0 1-.3 5.300zM8 7.500v3M6.700 9.300 8 10.600l1.300-1.300" />,
);
export const TerminalIcon = icon(<path d="m3 4.500 3.500 3.500L3 11.500M8.500 12H13" />);
export const KeyIcon = icon(
  <path d="M6.900 7.900 13 2m-2.500 2.400 2 2M5 13.500a2.800 2.800 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600" />,
);
export const BookIcon = icon(
  <path d="M8 4c-1.300-1-3-1.300-5.500-1.300v9.600c2.500 0 4.200.3 5.500 1.200 1.300-.9 3-1.200 5.500-1.200V2.700C11 2.700 9.300 3 8 4m0 0v9.500" />,
);
export const SignOutIcon = icon(<path d="M6 2.500H3v11h3M10.500 11l3-3-3-3M13 8H6.500" />);
export const MenuIcon = icon(<path d="M2 4h12M2 8h12M2 12h12" />);
export const CloseIcon = icon(<path d="m3.500 3.500 9 9m0-9-9 9" />);
export const SunIcon = icon(
  <path d="M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M8 1v1m0 12v1M1 8h1m12 0h1M3 3l.7.7m8.600 8.600.7.7M3 13l.7-.7M12.300 3.700 13 3" />,
);
export const MoonIcon = icon(<path d="M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7" />);
export const SystemIcon = icon(<path d="M2 3h12v8H2zM6 14h4M8 11v3" />);
export const CopyIcon = icon(<path d="M5.500 5.500h8v8h-8zM3 10.500h-.5v-8h8V3" />);
export const CheckIcon = icon(<path d="m3 8.500 3.500 3.500L13 4.500" />);
export const PlusIcon = icon(<path d="M8 3v10M3 8h10" />);
export const ChevronLeftIcon = icon(<path d="m10 3.500-4.500 4.500 4.500 4.500" />);
export const RefreshIcon = icon(
  <path d="M13.500 8A5.500 5.500 0 1 1 11.700 4L13.500 5.700M13.500 2.500v3.200h-3.200" />,
);
export const TrashIcon = icon(<path d="M2.500 4h11M6 4V2.500h4V4m-5.800 0 .6 9.500h6.400L12 4" />);
export const PlayIcon = icon(<path d="M4.500 2.800v10.400L13 8z" />);
export const PauseIcon = icon(<path d="M5 3v10M11 3v10" />);
export const WarningIcon = icon(<path d="M8 2 1.500 13.500h13zM8 6.500v3M8 11.600v.01" />);

/** The logo of the dashboard. */
export const Logo = () => (
  <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
    <rect class="logo-tile" width="32" height="32" rx="8" />
    <path class="logo-line" d="M8 21.500l5-6 4 3.500 7-9" />
  </svg>
);
