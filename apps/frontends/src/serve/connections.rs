//! The places for connections: bounded, and none for one address alone.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// This share of the places is for this machine alone, and no other address has more than half of them.
const OWN_SHARE: usize = 8;

/// All places of a server.
#[derive(Debug)]
pub(super) struct ConnectionLimit {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// By other machines, by address.
    others: HashMap<IpAddr, usize>,
}

/// A place, given back when dropped.
#[derive(Debug)]
pub(super) struct Connection {
    places: Arc<ConnectionLimit>,
    address: IpAddr,
}

impl ConnectionLimit {
    /// `most` places.
    pub(super) fn new(most: usize) -> Self {
        ConnectionLimit { most, taken: Mutex::default() }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection from `address`, if there is one for it.
    pub(super) fn take(places: &Arc<ConnectionLimit>, address: IpAddr) -> Option<Connection> {
        let mut taken = places.taken();
        let address = address.to_canonical();
        // Behind a proxy everybody comes from this machine.
        let most = if address.is_loopback() { places.most } else { places.most - places.most / OWN_SHARE };
        if taken.all >= most {
            return None;
        }
        if !address.is_loopback() {
            let own = taken.others.entry(address).or_default();
            if *own >= (places.most / 2).max(1) {
                return None;
            }
            *own += 1;
        }
        taken.all += 1;
        Some(Connection { places: Arc::clone(places), address })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.all -= 1;
        if let Some(own) = taken.others.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                taken.others.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_all_places() {
        let places = Arc::new(ConnectionLimit::new(16));
        let [one, two, own]: [IpAddr; 3] = ["10.0.0.1", "10.0.0.2", "127.0.0.1"].map(|text| text.parse().unwrap());
        let take = |address| ConnectionLimit::take(&places, address);
        let first: Vec<_> = (0..16).map_while(|_| take(one)).collect();
        let second: Vec<_> = (0..16).map_while(|_| take(two)).collect();
        let third: Vec<_> = (0..16).map_while(|_| take(own)).collect();
        assert_eq!((first.len(), second.len(), third.len()), (8, 6, 2));
        drop(first);
        assert!(take(two).is_some() && take(one).is_some());
        drop((second, third));
        assert!(places.taken().others.is_empty() && places.taken().all == 0);
        let single = Arc::new(ConnectionLimit::new(1));
        assert!(ConnectionLimit::take(&single, one).is_some());
    }
}
