import { Markov } from '../../../../prefetchd/model/predictors/markov.ts';
import { predictorContract } from '../../../contracts/predictor.ts';

predictorContract('markov', (options) => new Markov(options));
