//! Metrics as text. The registry exists for one scrape, and holds what was read for it.

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, NoLabelSet, prometheus_text},
    metrics::MetricType,
    registry::Registry,
};
use std::fmt;
use store::counts::Distribution;

/// The metrics of one scrape.
#[derive(Debug, Default)]
pub struct Exposition(Vec<Metric>);

#[derive(Debug)]
struct Metric {
    name: &'static str,
    help: &'static str,
    samples: Samples,
}

#[derive(Debug)]
enum Samples {
    Counter(Vec<(Labels, f64)>),
    Gauge(Vec<(Labels, f64)>),
    Histogram(Vec<(Labels, Distribution)>),
}

type Labels = Vec<(&'static str, String)>;

impl Exposition {
    /// Adds a counter. `_total` is added to its name.
    pub fn counter<'a, const N: usize>(
        &mut self,
        name: &'static str,
        help: &'static str,
        samples: impl IntoIterator<Item = ([(&'static str, &'a str); N], f64)>,
    ) {
        let samples = samples.into_iter().map(|(of, count)| (labels(of), count)).collect();
        self.0.push(Metric { name, help, samples: Samples::Counter(samples) });
    }

    /// Adds a gauge.
    pub fn gauge<'a, const N: usize>(
        &mut self,
        name: &'static str,
        help: &'static str,
        samples: impl IntoIterator<Item = ([(&'static str, &'a str); N], f64)>,
    ) {
        let samples = samples.into_iter().map(|(of, value)| (labels(of), value)).collect();
        self.0.push(Metric { name, help, samples: Samples::Gauge(samples) });
    }

    /// Adds a histogram.
    pub fn histogram<'a, const N: usize>(
        &mut self,
        name: &'static str,
        help: &'static str,
        samples: impl IntoIterator<Item = ([(&'static str, &'a str); N], Distribution)>,
    ) {
        let samples = samples.into_iter().map(|(of, distribution)| (labels(of), distribution)).collect();
        self.0.push(Metric { name, help, samples: Samples::Histogram(samples) });
    }

    /// All metrics, in the text format of Prometheus.
    pub fn text(self) -> String {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(self));
        let mut text = String::new();
        if let Err(error) = prometheus_text::encode(&mut text, &registry) {
            tracing::error!(%error, "metrics could not be written");
        }
        text
    }
}

fn labels<const N: usize>(of: [(&'static str, &str); N]) -> Labels {
    of.map(|(name, value)| (name, value.to_owned())).into()
}

impl Collector for Exposition {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for Metric { name, help, samples } in &self.0 {
            match samples {
                Samples::Counter(samples) => {
                    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
                    for (labels, value) in samples {
                        metric.encode_family(labels)?.encode_counter::<NoLabelSet, _, f64>(value, None)?;
                    }
                }
                Samples::Gauge(samples) => {
                    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
                    for (labels, value) in samples {
                        metric.encode_family(labels)?.encode_gauge(value)?;
                    }
                }
                Samples::Histogram(samples) => {
                    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Histogram)?;
                    for (labels, Distribution { sum, count, buckets }) in samples {
                        let mut metric = metric.encode_family(labels)?;
                        metric.encode_histogram::<NoLabelSet>(*sum, *count, buckets, None)?;
                    }
                }
            }
        }
        Ok(())
    }
}
