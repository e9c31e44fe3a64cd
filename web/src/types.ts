// What the server says.
export interface Variable { name: string; unit: string; text: string; settable: boolean; value?: number | null }
export interface BondAbout { bond: number; label: string; e?: string; f?: string; p?: string; reason: string; order: number; pseudo: boolean }
export interface LiveSource { kind: string; number?: number; low?: number; high?: number; key?: string; other?: string }
export interface LiveInput { input: string; scale: number; sources: LiveSource[] }
export interface About {
  start: number; stop: number; text: string; sweep: boolean;
  plots: { title: string; x?: string; y: string[] }[];
  shown: Record<string, [number, number]>;
  components: { path: string; type: string; text: string }[];
  bonds: BondAbout[];
  live?: LiveInput[];
}
export interface Message { severity: string; code: string; file: string; line: number; column: number; text: string; remedy: string }
export interface Built {
  revision: number; good: boolean; messages: Message[];
  model: string; experiment: string; experiments: string[];
  parameters: Variable[]; inputs: Variable[]; variables: Variable[]; states: Variable[];
  graph: string; depth: number; scope: string; about: About;
}
export interface SceneShape { kind: string; size: number[]; middle: number[]; turn: number[]; colour?: number[]; mesh?: number; file?: string }
export interface SceneBody {
  name: string; shapes: SceneShape[]; centre: number[]; joints: number[][]; frames: number[][]; names: string[]; axes: string[]; heavy: boolean;
  pose: number[];
}
export interface SceneMesh { low: number[]; step: number; colours?: number[][]; corners: string; triangles: string; paint?: string; count: number[] }
export interface SceneArrow { name: string; kind: "force" | "torque"; body: number; at: number[]; vector: number[] } // body -1: the world
export interface SceneData { gravity: number[]; time: number[]; meshes: SceneMesh[]; bodies: SceneBody[]; arrows?: SceneArrow[] }
export interface Started { pulled: boolean; revision: number; time: number; stop: number; names: string[]; units: string[]; bodies: number; scene: SceneData | null }
