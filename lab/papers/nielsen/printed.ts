// Tables 4 to 11 of Nielsen, Gettys et al. 1997, as the paper prints them: packets, bytes, seconds, per cent of overhead.

/** As the paper prints them. */
export type Figures = [packets: number, bytes: number, seconds: number, overhead: number];
export type WayOfPaper = 'HTTP/1.0 x4' | 'HTTP/1.1' | 'pipelined' | 'pipelined, compressed';

export interface PaperTable {
  number: number;
  title: string;
  link: 'lan' | 'wan' | 'ppp';
  /** Jigsaw ran interpreted Java, as ours runs JavaScript. */
  server: 'own' | 'apache';
  rows: Partial<Record<WayOfPaper, [first: Figures, validation: Figures]>>;
}

export const tables: PaperTable[] = [
  {
    ...{ number: 4, title: 'Jigsaw, high bandwidth, low latency', link: 'lan', server: 'own' },
    rows: {
      'HTTP/1.0 x4': [
        [510.2, 216_289, 0.97, 8.6],
        [374.8, 61_117, 0.78, 19.7],
      ],
      'HTTP/1.1': [
        [281, 191_843, 1.25, 5.5],
        [133.4, 17_694, 0.89, 23.2],
      ],
      pipelined: [
        [181.8, 191_551, 0.68, 3.7],
        [32.8, 17_694, 0.54, 6.9],
      ],
      'pipelined, compressed': [
        [148.8, 159_654, 0.71, 3.6],
        [32.6, 17_687, 0.54, 6.9],
      ],
    },
  },
  {
    ...{ number: 5, title: 'Apache, high bandwidth, low latency', link: 'lan', server: 'apache' },
    rows: {
      'HTTP/1.0 x4': [
        [489.4, 215_536, 0.72, 8.3],
        [365.4, 60_605, 0.41, 19.4],
      ],
      'HTTP/1.1': [
        [244.2, 189_023, 0.81, 4.9],
        [98.4, 14_009, 0.4, 21.9],
      ],
      pipelined: [
        [175.8, 189_607, 0.49, 3.6],
        [29.2, 14_009, 0.23, 7.7],
      ],
      'pipelined, compressed': [
        [139.8, 156_834, 0.41, 3.4],
        [28.4, 14_002, 0.23, 7.5],
      ],
    },
  },
  {
    ...{ number: 6, title: 'Jigsaw, high bandwidth, high latency', link: 'wan', server: 'own' },
    rows: {
      'HTTP/1.0 x4': [
        [565.8, 251_913, 4.17, 8.2],
        [389.2, 62_348, 2.96, 20],
      ],
      'HTTP/1.1': [
        [304, 193_595, 6.64, 5.9],
        [137, 18_065.6, 4.95, 23.3],
      ],
      pipelined: [
        [214.2, 193_887, 2.33, 4.2],
        [34.8, 18_233.2, 1.1, 7.1],
      ],
      'pipelined, compressed': [
        [183.2, 161_698, 2.09, 4.3],
        [35.4, 19_102.2, 1.15, 6.9],
      ],
    },
  },
  {
    ...{ number: 7, title: 'Apache, high bandwidth, high latency', link: 'wan', server: 'apache' },
    rows: {
      'HTTP/1.0 x4': [
        [559.6, 248_655.2, 4.09, 8.3],
        [370, 61_887, 2.64, 19.3],
      ],
      'HTTP/1.1': [
        [309.4, 191_436, 6.14, 6.1],
        [104.2, 14_255, 4.43, 22.6],
      ],
      pipelined: [
        [221.4, 191_180.6, 2.23, 4.4],
        [29.8, 15_352, 0.86, 7.2],
      ],
      'pipelined, compressed': [
        [182, 159_170, 2.11, 4.4],
        [29, 15_088, 0.83, 7.2],
      ],
    },
  },
  {
    ...{ number: 8, title: 'Jigsaw, low bandwidth, high latency', link: 'ppp', server: 'own' },
    rows: {
      'HTTP/1.1': [
        [309.6, 190_687, 63.8, 6.1],
        [89.2, 17_528, 12.9, 16.9],
      ],
      pipelined: [
        [284.4, 190_735, 53.3, 5.6],
        [31, 17_598, 5.4, 6.6],
      ],
      'pipelined, compressed': [
        [234.2, 159_449, 47.4, 5.5],
        [31, 17_591, 5.4, 6.6],
      ],
    },
  },
  {
    ...{ number: 9, title: 'Apache, low bandwidth, high latency', link: 'ppp', server: 'apache' },
    rows: {
      'HTTP/1.1': [
        [308.6, 187_869, 65.6, 6.2],
        [89, 13_843, 11.1, 20.5],
      ],
      pipelined: [
        [281.4, 187_918, 53.4, 5.7],
        [26, 13_912, 3.4, 7],
      ],
      'pipelined, compressed': [
        [233, 157_214, 47.2, 5.6],
        [26, 13_905, 3.4, 7],
      ],
    },
  },
];

/** Tables 10 and 11: browsers of the time over the modem. */
export const browsers: Array<{
  number: number;
  server: PaperTable['server'];
  rows: Record<string, [first: Figures, validation: Figures]>;
}> = [
  {
    ...{ number: 10, server: 'own' },
    rows: {
      'Netscape Navigator': [
        [339.4, 201_807, 58.8, 6.3],
        [108, 19_282, 14.9, 18.3],
      ],
      'Internet Explorer': [
        [360.3, 199_934, 63, 6.7],
        [301, 61_009, 17, 16.5],
      ],
    },
  },
  {
    ...{ number: 11, server: 'apache' },
    rows: {
      'Netscape Navigator': [
        [334.3, 199_243, 58.7, 6.3],
        [103.3, 23_741, 5.9, 14.8],
      ],
      'Internet Explorer': [
        [381.3, 204_219, 60.6, 6.9],
        [117, 23_056, 8.3, 16.9],
      ],
    },
  },
];
