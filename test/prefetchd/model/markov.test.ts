import { Markov } from '../../../prefetchd/model/markov.ts';
import { predictorContract } from '../../contracts/predictor.ts';

predictorContract('markov', (options) => new Markov(options));
